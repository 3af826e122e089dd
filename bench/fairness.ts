import { readFileSync, statSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import type { Bench, BenchContext } from './bench.ts';
import { ask } from './conversation.ts';
import { descendantsOf } from './cpu-time.ts';
import type { FromShooter, Shooting, Shot } from './fairness/messages.ts';
import { createPowerless } from './fairness/powerless.ts';
import { signatures } from './fairness/requests.ts';
import { type Cast, scenarios } from './fairness/scenarios.ts';
import { describeMachine } from './machine.ts';
import {
  type FairnessResult,
  fairnessChart,
  fairnessReport,
  fairnessSection,
  type Overload,
  type Row,
  withRound,
} from './report/fairness-report.ts';
import { writeSection } from './report/performance-page.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';
import { Stamper } from './stamper.ts';
import { createProbe } from './tenants/probe.ts';

/** What the quiet tenant sends in a second. */
const QUIET_RATE = 40;
/** On loopback every address is one's own. So the tenants come from different ones. */
const QUIET = '127.0.0.2';
const NOISY = '127.0.0.3';
const OVERLOAD = 5;
/** Enough for the compiler of each worker to settle. */
const WARM_UP = { requestsPerWorker: 8_000, connections: 32, seconds: 20 };

/** How a quiet tenant fares beside each attack, and what five times the load that a server can serve does to it. */
export const fairness: Bench = {
  summary: 'a quiet tenant beside busy and hostile ones, and five times the load that fits',

  async run(context) {
    const { options, leftovers, progress } = context;
    const seconds = Math.max(options.seconds, 2);
    const machine = describeMachine(leftovers);
    const shooters = { quiet: createShooter(leftovers), noisy: createShooter(leftovers) };
    const isFirst = preferTo(shooters.quiet.pid);
    const results: FairnessResult['servers'][number][] = [];
    for (const workers of options.workers) {
      progress(`${workers} workers: starting and warming up`);
      const [server, other] = [await startServerProcess(leftovers, workers), await startServerProcess(leftovers, workers)];
      const [cast, otherCast] = [await createCast(server), await createCast(other)];
      for (const [where, { noisy, quiet }] of [[server, cast] as const, [other, otherCast] as const])
        for (const tenant of [noisy, quiet])
          await shooters.noisy.shoot(where, {
            requests: signatures(tenant, (WARM_UP.requestsPerWorker / 2) * workers),
            ...WARM_UP,
            from: NOISY,
          });
      const rows = new Map<string, Row>();
      for (let round = 0; round < options.rounds; round++)
        for (const { name, disturb, isElsewhere = false, hold } of scenarios) {
          progress(`${workers} workers, round ${round + 1} of ${options.rounds}: ${name}`);
          const bytesBefore = bytesOf(server);
          const release = await hold?.(server.target, NOISY);
          const noise = disturb?.(isElsewhere ? otherCast : cast, seconds);
          const [quiet, noisy] = await Promise.all([
            shooters.quiet.shoot(server, {
              requests: signatures(cast.quiet, QUIET_RATE * seconds + QUIET_RATE),
              perSecond: QUIET_RATE,
              connections: 64,
              seconds,
              from: QUIET,
            }),
            noise && shooters.noisy.shoot(isElsewhere ? other : server, { ...noise, seconds, from: NOISY }),
          ]);
          release?.();
          const diskMb = (bytesOf(server) - bytesBefore) / 1e6;
          rows.set(
            name,
            withRound(rows.get(name), { name, quiet, noisy: noisy?.statuses ?? {}, residentMb: residentMb(server), diskMb }),
          );
        }
      await leftovers.end(other.process);
      progress(`${workers} workers: overload`);
      results.push({ workers, rows: [...rows.values()], overload: await overload(shooters.noisy, server, cast, seconds) });
      await leftovers.end(server.process);
    }
    const { rounds } = options;
    const result: FairnessResult = {
      bench: 'fairness',
      machine,
      quietRate: QUIET_RATE,
      rounds,
      seconds,
      isFirst,
      servers: results,
    };
    if (options.write) writeSection('fairness', fairnessSection(result), fairnessChart(result));
    return fairnessReport(result);
  },
};

/**
 * The sender of the quiet tenant is what measures, and would be on another machine: it has the processor before the others, where the
 * system allows that. Says whether it does.
 */
function preferTo(pid: number): boolean {
  try {
    setPriority(pid, constants.priority.PRIORITY_HIGH);
    return true;
  } catch {
    // Only an administrator may do so.
    return false;
  }
}

async function createCast({ target }: ServerProcess): Promise<Cast> {
  const url = `http://${target.host}:${target.port}`;
  const parent = new Stamper(target);
  const [quiet, noisy] = [await createProbe(url, target, parent), await createProbe(url, target, parent)];
  return { quiet, noisy, powerless: await createPowerless(url, noisy) };
}

/** One process that sends in one role. */
interface Shooter {
  readonly pid: number;
  shoot(server: ServerProcess, shooting: Omit<Shooting, 'kind' | 'host' | 'port'>): Promise<Shot>;
}

function createShooter(leftovers: BenchContext['leftovers']): Shooter {
  const child = leftovers.fork('./fairness/shooter-process.ts');
  return {
    pid: child.pid as number,
    shoot: ({ target: { host, port } }, shooting) => ask<FromShooter>(child, { kind: 'shoot', host, port, ...shooting }),
  };
}

/** Five times the requests in a second that were served before. */
async function overload({ shoot }: Shooter, server: ServerProcess, { noisy }: Cast, seconds: number): Promise<Overload> {
  const peakShot = await shoot(server, {
    requests: signatures(noisy, 2000 * seconds),
    connections: 64,
    seconds,
    from: NOISY,
  });
  const peak = (peakShot.statuses[200] ?? 0) / peakShot.seconds;
  const perSecond = Math.round(peak * OVERLOAD);
  const requests = signatures(noisy, perSecond * (seconds + 1));
  let mostMb = 0;
  const watch = setInterval(() => {
    mostMb = Math.max(mostMb, residentMb(server));
  }, 100);
  const shot = await shoot(server, { requests, perSecond, connections: 900, seconds, from: NOISY });
  clearInterval(watch);
  const endedAt = performance.now();
  // Recovered: a request is served as before.
  for (;;) {
    const { okMs } = await shoot(server, { requests: signatures(noisy, 3), connections: 1, seconds: 1, from: QUIET });
    if (okMs.length > 0 && Math.min(...okMs) < 100) break;
  }
  const recoveryMs = performance.now() - endedAt;
  const good = (shot.statuses[200] ?? 0) / seconds;
  return { peak, perSecond, goodput: good, share: good / peak, statuses: shot.statuses, residentMb: mostMb, recoveryMs };
}

/** Resident memory of the server and its workers. */
function residentMb({ pid }: ServerProcess): number {
  return [pid, ...descendantsOf(pid)].reduce((sum, each) => sum + residentKb(each), 0) / 1000;
}

function residentKb(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    // The process has ended.
    return 0;
  }
}

function bytesOf({ dataDir }: ServerProcess): number {
  return ['countersign.db', 'countersign.db-wal'].reduce((sum, name) => {
    return sum + (statSync(join(dataDir, name), { throwIfNoEntry: false })?.size ?? 0);
  }, 0);
}

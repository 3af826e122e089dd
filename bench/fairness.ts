import { readFileSync, statSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench, BenchContext } from './bench.ts';
import { ask } from './conversation.ts';
import { descendantsOf } from './cpu-time.ts';
import { createDatabases } from './databases.ts';
import { fillWithPolicies } from './fairness/hoarder.ts';
import type { FromShooter, Shooting, Shot, ToShooter } from './fairness/messages.ts';
import { createPowerless } from './fairness/powerless.ts';
import { signatures } from './fairness/requests.ts';
import { type Cast, scenarios } from './fairness/scenarios.ts';
import type { Leftovers } from './leftovers.ts';
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
const QUIET = ['127.0.0.2'];
const NOISY = ['127.0.0.3'];
const OVERLOAD = 5;
/** How long all are left alone before they are measured: who has just been handed tens of megabytes collects its garbage. */
const SETTLE_MS = 400;
/** Enough for the compiler of each worker to settle. */
const WARM_UP = { requestsPerWorker: 8_000, connections: 32, seconds: 20 };

/** Latency of a quiet tenant during each attack, and at five times the load that a server can serve. */
export const fairness: Bench = {
  summary: 'a quiet tenant beside busy and hostile ones, and five times the load that fits',

  async run(context) {
    const { options, leftovers, progress } = context;
    const seconds = Math.max(options.seconds, 2);
    const machine = describeMachine(leftovers);
    const shooters = { quiet: createShooter(leftovers), noisy: createShooter(leftovers) };
    const isFirst = preferTo(shooters.quiet.pid);
    const results: FairnessResult['servers'][number][] = [];
    const createDatabase = createDatabases(leftovers);
    const starts = [
      ...options.workers.map((workers) => () => startWorkers(leftovers, workers)),
      ...(options.stores.includes('postgres') ? [() => startNodes(leftovers, createDatabase)] : []),
    ];
    for (const start of starts) {
      progress('starting and warming up');
      const installation = await start();
      const cast = await warmedUp(shooters.noisy, installation);
      results.push(await measure(context, shooters, installation, cast, seconds));
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

/** Servers that are measured, and one that is not. */
interface Installation {
  readonly name: string;
  readonly workers: number;
  /** Where the quiet tenant sends, and where the others do. */
  readonly quietAt: ServerProcess;
  readonly noisyAt: ServerProcess;
  readonly other: ServerProcess;
}

async function startWorkers(leftovers: Leftovers, workers: number): Promise<Installation> {
  const [server, other] = [await startServerProcess(leftovers, workers), await startServerProcess(leftovers, workers)];
  return { name: workers === 1 ? 'one process' : `${workers} workers`, workers, quietAt: server, noisyAt: server, other };
}

/** Two nodes of one PostgreSQL: the quiet tenant at one, the others at the other. */
async function startNodes(leftovers: Leftovers, createDatabase: () => Promise<string>): Promise<Installation> {
  const url = await createDatabase();
  const quietAt = await startServerProcess(leftovers, 1, url);
  const noisyAt = await startServerProcess(leftovers, 1, url, [], quietAt.dataDir);
  const other = await startServerProcess(leftovers, 1, await createDatabase());
  return { name: 'two nodes of one PostgreSQL, the others at the other node', workers: 1, quietAt, noisyAt, other };
}

interface Casts {
  readonly cast: Cast;
  readonly otherCast: Cast;
}

async function warmedUp({ shoot }: Shooter, { workers, quietAt, noisyAt, other }: Installation): Promise<Casts> {
  const [cast, otherCast] = [await createCast(quietAt), await createCast(other)];
  const places = [...new Set([quietAt, noisyAt])].map((place) => [place, cast] as const);
  for (const [where, { noisy, quiet }] of [...places, [other, otherCast] as const])
    for (const tenant of [noisy, quiet])
      await shoot(where, { requests: signatures(tenant, (WARM_UP.requestsPerWorker / 2) * workers), ...WARM_UP, from: NOISY });
  return { cast, otherCast };
}

async function measure(
  { options, leftovers, progress }: BenchContext,
  shooters: { readonly quiet: Shooter; readonly noisy: Shooter },
  { name: where, quietAt, noisyAt, other }: Installation,
  { cast, otherCast }: Casts,
  seconds: number,
): Promise<FairnessResult['servers'][number]> {
  const rows = new Map<string, Row>();
  const { kinds } = options;
  const chosen = scenarios.filter(
    ({ name, disturb, hold }) =>
      kinds.length === 0 || (disturb ?? hold) === undefined || kinds.some((kind) => name.includes(kind)),
  );
  for (let round = 0; round < options.rounds; round++)
    for (const { name, disturb, isElsewhere = false, hold } of chosen) {
      progress(`${where}, round ${round + 1} of ${options.rounds}: ${name}`);
      const bytesBefore = bytesOf(quietAt);
      const release = await hold?.(noisyAt.target, NOISY.join());
      const noise = disturb?.(isElsewhere ? otherCast : cast, seconds);
      const fireNoise = noise && (await shooters.noisy.load(isElsewhere ? other : noisyAt, { ...noise, seconds, from: NOISY }));
      const fireQuiet = await shooters.quiet.load(quietAt, {
        requests: signatures(cast.quiet, QUIET_RATE * seconds + QUIET_RATE),
        perSecond: QUIET_RATE,
        connections: 64,
        seconds,
        from: QUIET,
      });
      await sleep(SETTLE_MS);
      const [quiet, noisy] = await Promise.all([fireQuiet(), fireNoise?.()]);
      release?.();
      const bytes = bytesOf(quietAt);
      const diskMb = bytes === undefined || bytesBefore === undefined ? undefined : (bytes - bytesBefore) / 1e6;
      rows.set(
        name,
        withRound(rows.get(name), { name, quiet, noisy: noisy?.statuses ?? {}, residentMb: residentMb(noisyAt), diskMb }),
      );
    }
  await leftovers.end(other.process);
  progress(`${where}: overload`);
  const overloaded = await overload(shooters.noisy, noisyAt, cast, seconds);
  for (const { process } of new Set([quietAt, noisyAt])) await leftovers.end(process);
  return { name: where, rows: [...rows.values()], overload: overloaded };
}

/**
 * The sender of the quiet tenant is what measures, and would be on another machine: it has the processor before the others, where the
 * system allows that. Says whether it does.
 */
export function preferTo(pid: number): boolean {
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
  const probe = () => createProbe(url, target, parent);
  const [quiet, noisy] = [await probe(), await probe()];
  const hoarder = await fillWithPolicies(url, await probe());
  return { quiet, noisy, hoarder, powerless: await createPowerless(url, noisy) };
}

/** One process that sends in one role. */
export interface Shooter {
  readonly pid: number;
  /** Hands the requests over, which takes time for large ones, and gives what sends them. */
  load(server: ServerProcess, shooting: Requests): Promise<() => Promise<Shot>>;
  shoot(server: ServerProcess, shooting: Requests): Promise<Shot>;
}

type Requests = Omit<Shooting, 'kind' | 'host' | 'port'>;

export function createShooter(leftovers: Leftovers): Shooter {
  const child = leftovers.fork('./fairness/shooter-process.ts');
  const tell = <K extends FromShooter['kind']>(message: ToShooter) =>
    ask<Extract<FromShooter, { kind: K | 'failed' }>>(child, message);
  const load: Shooter['load'] = async ({ target: { host, port } }, shooting) => {
    await tell<'loaded'>({ kind: 'load', host, port, ...shooting });
    return () => tell<'shot'>({ kind: 'shoot', seconds: shooting.seconds });
  };
  return {
    pid: child.pid as number,
    load,
    shoot: async (server, shooting) => (await load(server, shooting))(),
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

/** Size of an SQLite database; undefined for PostgreSQL. */
function bytesOf({ dataDir }: ServerProcess): number | undefined {
  const sizeOf = (name: string) => statSync(join(dataDir, name), { throwIfNoEntry: false })?.size;
  const size = sizeOf('countersign.db');
  return size === undefined ? undefined : size + (sizeOf('countersign.db-wal') ?? 0);
}

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, BenchContext } from './bench.ts';
import { ask } from './conversation.ts';
import { descendantsOf } from './cpu-time.ts';
import { halfSent } from './fairness/half-sent.ts';
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
} from './report/fairness-report.ts';
import { writeSection } from './report/performance-page.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';
import { Stamper } from './stamper.ts';
import { percentile } from './statistics.ts';
import { createProbe } from './tenants/probe.ts';

/** What the quiet tenant sends in a second. */
const QUIET_RATE = 20;
/** On loopback every address is one's own. So the tenants come from different ones. */
const QUIET = '127.0.0.2';
const NOISY = '127.0.0.3';
const OVERLOAD = 5;

/** How a quiet tenant fares beside each attack, and what five times the load that a server can serve does to it. */
export const fairness: Bench = {
  summary: 'a quiet tenant beside busy and hostile ones, and five times the load that fits',

  async run(context) {
    const { options, leftovers } = context;
    const seconds = Math.max(options.seconds, 3);
    const machine = describeMachine(leftovers);
    const results: FairnessResult['servers'][number][] = [];
    for (const workers of options.workers) {
      const server = await startServerProcess(leftovers, workers);
      const cast = await createCast(server);
      const rows: Row[] = [];
      for (const scenario of scenarios) {
        context.progress(`${workers} workers: ${scenario.name}`);
        const disturbance = scenario.disturb(cast, seconds);
        rows.push(await measure(context, server, cast, scenario.name, seconds, disturbance));
      }
      context.progress(`${workers} workers: half-sent bodies`);
      const held = await halfSent(server.target, 400, 850_000, NOISY);
      rows.push(await measure(context, server, cast, '400 half-sent bodies of 0.85 MB', seconds, undefined));
      held();
      context.progress(`${workers} workers: overload`);
      results.push({ workers, rows, overload: await overload(context, server, cast, seconds) });
      await leftovers.end(server.process);
    }
    const result: FairnessResult = { bench: 'fairness', machine, quietRate: QUIET_RATE, seconds, servers: results };
    if (options.write) writeSection('fairness', fairnessSection(result), fairnessChart(result));
    return fairnessReport(result);
  },
};

async function createCast({ target }: ServerProcess): Promise<Cast> {
  const url = `http://${target.host}:${target.port}`;
  const parent = new Stamper(target);
  const [quiet, noisy] = [await createProbe(url, target, parent), await createProbe(url, target, parent)];
  return { quiet, noisy, powerless: await createPowerless(url, noisy) };
}

async function measure(
  context: BenchContext,
  server: ServerProcess,
  cast: Cast,
  name: string,
  seconds: number,
  disturbance: Pick<Shooting, 'requests' | 'connections' | 'repeat'> | undefined,
): Promise<Row> {
  const bytesBefore = bytesOf(server);
  const quietShots = shoot(context, server, {
    requests: signatures(cast.quiet, QUIET_RATE * seconds + QUIET_RATE),
    perSecond: QUIET_RATE,
    connections: 64,
    seconds,
    from: QUIET,
  });
  const noise = disturbance && shoot(context, server, { ...disturbance, seconds, from: NOISY });
  const [quiet, noisy] = await Promise.all([quietShots, noise]);
  const sorted = Float64Array.from(quiet.okMs).sort();
  return {
    name,
    quiet: { p50Ms: percentile(sorted, 0.5), p99Ms: percentile(sorted, 0.99), statuses: quiet.statuses },
    noisy: noisy?.statuses ?? {},
    residentMb: residentMb(server),
    diskMb: (bytesOf(server) - bytesBefore) / 1e6,
  };
}

/** Five times the requests in a second that were served before. */
async function overload(context: BenchContext, server: ServerProcess, cast: Cast, seconds: number): Promise<Overload> {
  const { noisy } = cast;
  const peakShot = await shoot(context, server, {
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
  const shot = await shoot(context, server, { requests, perSecond, connections: 900, seconds, from: NOISY });
  clearInterval(watch);
  const endedAt = performance.now();
  // Recovered: a request is served as before.
  for (;;) {
    const { okMs } = await shoot(context, server, { requests: signatures(noisy, 3), connections: 1, seconds: 1, from: QUIET });
    if (okMs.length > 0 && Math.min(...okMs) < 100) break;
  }
  const recoveryMs = performance.now() - endedAt;
  const good = (shot.statuses[200] ?? 0) / seconds;
  return { peak, perSecond, goodput: good, share: good / peak, statuses: shot.statuses, residentMb: mostMb, recoveryMs };
}

async function shoot(
  { leftovers }: BenchContext,
  { target: { host, port } }: ServerProcess,
  shooting: Omit<Shooting, 'kind' | 'host' | 'port'>,
): Promise<Shot> {
  const child = leftovers.fork('./fairness/shooter-process.ts');
  try {
    return await ask<FromShooter>(child, { kind: 'shoot', host, port, ...shooting });
  } finally {
    await leftovers.end(child);
  }
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

import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench, BenchContext } from './bench.ts';
import { createDatabases } from './databases.ts';
import type { Shot } from './fairness/messages.ts';
import { createPowerless } from './fairness/powerless.ts';
import { httpRequest, query, type Sender, signatures } from './fairness/requests.ts';
import { createShooter, preferTo, type Shooter } from './fairness.ts';
import { describeMachine } from './machine.ts';
import type { StoreName } from './options.ts';
import { type Build, type ServerProcess, startServerProcess } from './server-process.ts';
import { Stamper } from './stamper.ts';
import { spreadOf } from './statistics.ts';
import { createProbe } from './tenants/probe.ts';

const QUIET_RATE = 40;
const QUIET = ['127.0.0.2'];
const NOISY = ['127.0.0.3'];
const WARM_UP = 4_000;
const COLLEAGUE_CONNECTIONS = 400;
/** How long a flood runs before the tenant is measured. */
const LEAD_MS = 1_000;

/** Latency of a tenant while one kind of flood arrives. */
interface Row {
  readonly name: string;
  /** Median of answered signatures; undefined if none was. */
  readonly medianMs: number | undefined;
  readonly timesQuiet: number | undefined;
  /** Signatures that were sent and not executed. */
  readonly failed: number;
  readonly floodPerSecond: number;
}

interface Result {
  readonly build: string;
  readonly store: StoreName;
  readonly rows: readonly Row[];
}

/** Latency of a tenant during floods from many addresses, by a colleague, and after a restart. */
export const floods: Bench = {
  summary: 'a tenant during floods of forged stamps from many addresses, of a colleague, and after a restart',

  async run(context) {
    const { options, leftovers } = context;
    const seconds = Math.max(options.seconds, 2);
    const shooters = { quiet: createShooter(leftovers), noisy: createShooter(leftovers) };
    preferTo(shooters.quiet.pid);
    const builds: [string, Build][] = [['now', {}]];
    if (options.before !== '') builds.unshift(['before', { command: options.before }]);
    const results: Result[] = [];
    const newDatabase = createDatabases(leftovers);
    for (const store of options.stores)
      for (const [build, how] of builds) {
        const databaseUrl = store === 'postgres' ? await newDatabase() : undefined;
        results.push({ build, store, rows: await measure(context, shooters, { ...how, databaseUrl }, seconds) });
      }
    return {
      json: { bench: 'floods', machine: describeMachine(leftovers), seconds, results },
      text: () => results.map(({ build, store, rows }) => [`${build}, ${store}`, ...rows.map(show)].join('\n')).join('\n\n'),
    };
  },
};

const show = ({ name, medianMs, timesQuiet, failed, floodPerSecond }: Row) =>
  [
    `  ${name.padEnd(44)}`,
    `p50 ${medianMs === undefined ? 'none' : `${medianMs.toFixed(1)} ms`}`.padEnd(16),
    (timesQuiet === undefined ? '' : `${timesQuiet.toFixed(1)} x quiet`).padEnd(16),
    `${failed} failed`.padEnd(12),
    `flood ${Math.round(floodPerSecond)} per second`,
  ].join('');

/** Requests that disturb, and where they come from. */
interface Flood {
  readonly requests: readonly Uint8Array[];
  readonly from: readonly string[];
  readonly connections: number;
}

async function measure(
  { leftovers, progress }: BenchContext,
  shooters: { readonly quiet: Shooter; readonly noisy: Shooter },
  { databaseUrl, ...build }: Build & { readonly databaseUrl: string | undefined },
  seconds: number,
): Promise<Row[]> {
  const start = (dataDir?: string) => startServerProcess(leftovers, 1, databaseUrl, [], dataDir, build);
  let server = await start();
  const url = `http://${server.target.host}:${server.target.port}`;
  const tenant = await createProbe(url, server.target, new Stamper(server.target));
  const colleague = await createPowerless(url, tenant);
  await shooters.noisy.shoot(server, { requests: signatures(tenant, WARM_UP), connections: 32, seconds: 20, from: QUIET });
  const rows: Row[] = [];
  const run = async (name: string, flood?: Flood) => {
    progress(name);
    const shot = await disturbed(shooters, server, signatures(tenant, QUIET_RATE * (seconds + 1)), seconds, flood);
    rows.push(rowOf(name, shot, rows[0]));
  };
  await run('quiet');
  await run('forged stamps from 256 addresses', forged(tenant, 256));
  await run('forged stamps from 1,000 addresses', forged(tenant, 1_000));
  await run('a colleague without rights, 400 connections', {
    requests: [query(colleague, 'whoami', {})],
    from: NOISY,
    connections: COLLEAGUE_CONNECTIONS,
  });
  await leftovers.end(server.process);
  server = await start(server.dataDir);
  await run('1,000 addresses, after a restart', forged(tenant, 1_000));
  await leftovers.end(server.process);
  return rows;
}

/** Stamps that name the credential of a tenant and do not verify, from as many addresses as connections. */
function forged(tenant: Sender, addresses: number): Flood {
  const body = JSON.stringify({ organizationId: tenant.organizationId });
  return {
    requests: [httpRequest('/public/v1/query/whoami', body, new Stamper(tenant).stamp(`${body} `))],
    from: Array.from({ length: addresses }, (_, at) => `127.${1 + (at >> 7)}.${at & 127}.1`),
    connections: addresses,
  };
}

interface Disturbed {
  readonly quiet: Shot;
  readonly flood: Shot | undefined;
}

async function disturbed(
  { quiet, noisy }: { readonly quiet: Shooter; readonly noisy: Shooter },
  server: ServerProcess,
  requests: readonly Uint8Array[],
  seconds: number,
  flood: Flood | undefined,
): Promise<Disturbed> {
  const lead = LEAD_MS / 1000;
  const fireNoise = flood && (await noisy.load(server, { ...flood, seconds: seconds + 2 * lead, repeat: true }));
  const fireQuiet = await quiet.load(server, { requests, perSecond: QUIET_RATE, connections: 64, seconds, from: QUIET });
  const flooding = fireNoise?.();
  await sleep(LEAD_MS);
  const shot = await fireQuiet();
  return { quiet: shot, flood: await flooding };
}

function rowOf(name: string, { quiet, flood }: Disturbed, alone: Row | undefined): Row {
  const medianMs = quiet.okMs.length === 0 ? undefined : spreadOf(quiet.okMs).median;
  const [aloneMs, all] = [alone?.medianMs, Object.values(flood?.statuses ?? {}).reduce((sum, count) => sum + count, 0)];
  return {
    name,
    medianMs,
    timesQuiet: medianMs === undefined || aloneMs === undefined ? undefined : medianMs / aloneMs,
    failed: Object.values(quiet.statuses).reduce((sum, count) => sum + count, 0) - quiet.okMs.length,
    floodPerSecond: all / (flood?.seconds ?? 1),
  };
}

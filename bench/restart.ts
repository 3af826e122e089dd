import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, BenchContext } from './bench.ts';
import { cpuNanosOf, descendantsOf } from './cpu-time.ts';
import { createDatabases } from './databases.ts';
import { createClient } from './growth/client.ts';
import { type Fill, startSeeder } from './growth/installation.ts';
import { operationsOn } from './growth/operations.ts';
import { describeMachine } from './machine.ts';
import type { StoreName } from './options.ts';
import type { Paint } from './report/paint.ts';
import { renderTable } from './report/table.ts';
import { startCommand, startServerProcess } from './server-process.ts';
import { Stamper } from './stamper.ts';
import { type Spread, spreadOf } from './statistics.ts';
import { createProbe } from './tenants/probe.ts';

const SIZES = [0, 100_000, 1_000_000];
/** A start without stored replay keys verifies a million leaves. */
const PATIENCE_MS = 900_000;
/** Signatures before each stop, so that a kill leaves entries in the queue and notes in the data directory. */
const SIGNATURES = 100;

/** No request is shed, also on a slow machine. */
const SETTINGS = ['--max-queue-ms', '600000'];

/** How the server before ended, and what it left. */
const endings = ['stopped', 'killed', 'killed, without replay keys'] as const;
type Ending = (typeof endings)[number];

interface Row {
  readonly store: StoreName;
  readonly activities: number;
  readonly ending: Ending;
  /** The command that was started. */
  readonly build: 'this' | 'before';
  readonly cpuMs: Spread;
  readonly ms: Spread;
}

/** CPU time and time of a start until the server is ready, by the number of activities of the last hour. */
export const restart: Bench = {
  summary: 'the start of a server with many recent activities, after a stop and after kill -9',

  async run(context) {
    const { options, leftovers } = context;
    const machine = describeMachine(leftovers);
    const createDatabase = createDatabases(leftovers);
    const fill = await startSeeder(leftovers);
    const rows: Row[] = [];
    for (const store of options.stores) {
      const databaseUrl = store === 'postgres' ? await createDatabase() : undefined;
      rows.push(...(await measureStore(context, fill, store, databaseUrl)));
    }
    const { rounds } = options;
    return {
      json: { bench: 'restart', machine, node: process.version, rounds, rows },
      text: (paint) => `Medians of ${rounds} rounds, Node ${process.versions.node}\n\n${render(rows, paint)}`,
    };
  },
};

async function measureStore(
  { options, leftovers, progress }: BenchContext,
  fill: Fill,
  store: StoreName,
  databaseUrl: string | undefined,
): Promise<Row[]> {
  const { target, dataDir, process: first } = await startServerProcess(leftovers, 1, databaseUrl, SETTINGS);
  const firstUrl = `http://${target.host}:${target.port}`;
  const probe = await createProbe(firstUrl, target, new Stamper(target));
  // The seeded activities are copies of these.
  for (const { isLogged, send } of operationsOn(createClient(firstUrl, probe), 'activities', probe))
    if (isLogged) await send('first');
  let server = { child: first, url: firstUrl };

  async function sign(): Promise<void> {
    const signature = operationsOn(createClient(server.url, probe), 'activities', probe).find(
      ({ name }) => name === 'a signature',
    );
    await Promise.all(Array.from({ length: SIGNATURES }, (_, at) => signature?.send(`${at}`)));
  }

  /** Ends the running server, and starts the next one. */
  async function restartAfter(ending: Ending, command?: string): Promise<{ readonly cpuMs: number; readonly ms: number }> {
    await sign();
    if (ending === 'stopped') await leftovers.end(server.child);
    else await kill(server.child);
    if (ending === 'killed, without replay keys') rmSync(join(dataDir, 'replay-keys'), { recursive: true, force: true });
    const startedAt = performance.now();
    const build = command === undefined ? {} : { command };
    server = await startCommand(leftovers, dataDir, databaseUrl, SETTINGS, PATIENCE_MS, build);
    const pid = server.child.pid as number;
    return { cpuMs: cpuNanosOf([pid, ...descendantsOf(pid)]) / 1e6, ms: performance.now() - startedAt };
  }

  const rows: Row[] = [];
  let stored = 0;
  for (const size of SIZES.filter((each) => each <= options.most)) {
    progress(`${store}: filling up to ${size.toLocaleString('en')} activities`);
    if (size > stored)
      await fill({
        dataDir,
        organizationId: probe.organizationId,
        kind: 'activities',
        count: size - stored,
        databaseUrl,
        isRecent: true,
      });
    stored = size;
    const builds = options.before === '' ? [undefined] : [undefined, options.before];
    for (const ending of endings) {
      for (const command of builds) {
        // An earlier build reads the log in any case.
        if (command !== undefined && ending === 'killed, without replay keys') continue;
        const starts: { readonly cpuMs: number; readonly ms: number }[] = [];
        for (let round = 1; round <= options.rounds; round++) {
          progress(`${store}: ${size.toLocaleString('en')} activities, ${ending}, round ${round} of ${options.rounds}`);
          starts.push(await restartAfter(ending, command));
        }
        rows.push({
          store,
          activities: size,
          ending,
          build: command === undefined ? 'this' : 'before',
          cpuMs: spreadOf(starts.map(({ cpuMs }) => cpuMs)),
          ms: spreadOf(starts.map(({ ms }) => ms)),
        });
      }
    }
  }
  await leftovers.end(server.child);
  return rows;
}

async function kill(child: {
  kill(signal: 'SIGKILL'): boolean;
  once(event: 'exit', listener: () => void): unknown;
}): Promise<void> {
  const exited = new Promise<void>((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exited;
}

function render(rows: readonly Row[], paint: Paint): string {
  return renderTable(
    [
      { title: 'store', align: 'left' },
      { title: 'recent activities', align: 'right' },
      { title: 'the server before', align: 'left' },
      { title: 'build', align: 'left' },
      { title: 'CPU ms', align: 'right' },
      { title: 'range', align: 'right' },
      { title: 'ms', align: 'right' },
    ],
    rows.map(({ store, activities, ending, build, cpuMs, ms }) => [
      store,
      activities.toLocaleString('en'),
      ending,
      build,
      cpuMs.median.toFixed(0),
      `${cpuMs.min.toFixed(0)} to ${cpuMs.max.toFixed(0)}`,
      ms.median.toFixed(0),
    ]),
    paint,
  );
}

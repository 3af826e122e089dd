import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { archive } from '../packages/server/src/commands/archive.ts';
import { readConfig } from '../packages/server/src/config/read-config.ts';
import { systemClock } from '../packages/server/src/installation/clock/system-clock.ts';
import type { Bench, BenchContext } from './bench.ts';
import { createDatabases } from './databases.ts';
import { type Gauge, postgresGauge, type Sizes, sqliteGauge } from './disk/sizes.ts';
import { createClient } from './growth/client.ts';
import { describeMachine } from './machine.ts';
import type { StoreName } from './options.ts';
import type { Paint } from './report/paint.ts';
import { renderTable } from './report/table.ts';
import { startServerProcess } from './server-process.ts';
import { signingBody } from './signing-request.ts';

/** Signatures before the first measurement: every table has its first pages. */
const FIRST = 200;
const CONNECTIONS = 16;
/** Archiving takes activities that ended two days ago. */
const LATER_MS = 3 * 24 * 3_600_000;

/** Bytes of one signature. */
interface Measured {
  readonly store: StoreName;
  readonly parts: readonly { readonly name: string; readonly live: number; readonly archived: number }[];
  readonly live: number;
  readonly archived: number;
  /** Change of the size of the files, with free space in them. */
  readonly files: { readonly live: number; readonly archived: number };
  readonly written: number;
}

/** Where the bytes of a signature are: in tables and indexes, before and after archiving, and how many are written for it. */
export const disk: Bench = {
  summary: 'bytes of a signature by table and index, and what stays of them after archiving (--activities N)',

  async run(context) {
    const machine = describeMachine(context.leftovers);
    const createDatabase = createDatabases(context.leftovers);
    const measured: Measured[] = [];
    for (const store of context.options.stores) measured.push(await measure(context, store, createDatabase));
    const { activities } = context.options;
    return { json: { bench: 'disk', machine, activities, measured }, text: (paint) => render(measured, activities, paint) };
  },
};

async function measure(
  { options, leftovers, progress }: BenchContext,
  store: StoreName,
  createDatabase: () => Promise<string>,
): Promise<Measured> {
  const url = store === 'postgres' ? await createDatabase() : undefined;
  const { target, dataDir, pid, process: server } = await startServerProcess(leftovers, 1, url);
  const gauge = url === undefined ? sqliteGauge(join(dataDir, 'countersign.db'), pid) : await postgresGauge(url);
  const sign = signer(`http://${target.host}:${target.port}`, target);
  await sign(FIRST);
  const [before, writtenBefore] = [await settled(gauge), await gauge.written()];
  progress(`${store}: signing ${options.activities} times`);
  await sign(options.activities);
  const [after, writtenAfter] = [await settled(gauge), await gauge.written()];
  await leftovers.end(server);
  progress(`${store}: archiving`);
  const config = readConfig({ dataDir, ...(url !== undefined && { databaseUrl: url }) }, {});
  const later = { ...systemClock, nowMs: () => Date.now() + LATER_MS };
  const { moved } = await archive(config, { beforeMs: Date.now() + 1, directory: leftovers.directory() }, later);
  const archived = await gauge.sizes();
  await gauge.end();
  if (moved < options.activities) throw new Error(`only ${moved} activities were archived`);
  const each = (bytes: number) => bytes / options.activities;
  // The first signatures are archived too, so the rest is compared with the size before all of them.
  const empty = (name: string) => (before.parts.get(name) ?? 0) - FIRST * each(grown(before, after, name));
  const parts = [...after.parts.keys()].map((name) => ({
    name,
    live: each(grown(before, after, name)),
    archived: ((archived.parts.get(name) ?? 0) - empty(name)) / moved,
  }));
  const live = parts.reduce((sum, part) => sum + part.live, 0);
  return {
    store,
    parts: parts.filter((part) => part.live > 0.5 || part.archived > 0.5).sort((a, b) => b.live - a.live),
    live,
    archived: parts.reduce((sum, part) => sum + part.archived, 0),
    files: {
      live: each(after.files - before.files),
      archived: (archived.files - before.files + FIRST * each(after.files - before.files)) / moved,
    },
    written: each(writtenAfter - writtenBefore),
  };
}

const grown = (before: Sizes, after: Sizes, name: string) => (after.parts.get(name) ?? 0) - (before.parts.get(name) ?? 0);

/** The sizes once the log has taken all entries. */
async function settled(gauge: Gauge): Promise<Sizes> {
  for (;;) {
    const sizes = await gauge.sizes();
    if (sizes.queued === 0) return sizes;
    await sleep(200);
  }
}

function signer(url: string, target: Parameters<typeof createClient>[1] & Parameters<typeof signingBody>[0]) {
  const client = createClient(url, target);
  return async (count: number): Promise<void> => {
    let left = count;
    const one = async () => {
      while (left-- > 0)
        await client.submit('sign_raw_payload', signingBody(target, randomBytes(32).toString('hex'), Date.now()));
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, one));
  };
}

function render(measured: readonly Measured[], activities: number, paint: Paint): string {
  const bytes = (value: number) => Math.round(value).toLocaleString('en');
  const tables = measured.map(({ store, parts, live, archived, files, written }) => {
    const rows = [
      ...parts.map((part) => [part.name, bytes(part.live), bytes(part.archived)]),
      ['total', bytes(live), bytes(archived)],
      ['size of the files', bytes(files.live), bytes(files.archived)],
      [store === 'postgres' ? 'written to the log of PostgreSQL' : 'written to disk', bytes(written), ''],
    ];
    const columns = [
      { title: store, align: 'left' as const },
      { title: 'bytes', align: 'right' as const },
      { title: 'after archiving', align: 'right' as const },
    ];
    return renderTable(columns, rows, paint);
  });
  return `Bytes per signature, over ${activities.toLocaleString('en')} signatures\n\n${tables.join('\n\n')}`;
}

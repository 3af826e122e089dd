import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { uuidv7 } from 'uuidv7';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeDataDirectory } from '../../../../test/support/data-directory.ts';
import { createDatabase, type TestDatabase } from '../../../../test/support/postgres-database.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import type { Write } from '../../src/store/rows.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import type { Commit, Store } from '../../src/store/store.ts';
import { activityRow, commitOf, headRow, lookupRow, put, recordRow, resourceRow } from './rows.ts';

let directory: string;
let database: TestDatabase;
let stores: readonly Store[];

beforeAll(async () => {
  directory = makeDataDirectory('differential');
  database = await createDatabase();
  stores = [await openSqlite({ file: join(directory, 'countersign.db') }), await openPostgres({ url: database.url })];
});
afterAll(async () => {
  for (const store of stores) await store.close();
  await database?.drop();
  await rm(directory, { recursive: true });
});

const mac = new Uint8Array([1, 2, 3]);
const few = fc.integer({ min: 0, max: 3 });

/** An entry described by small numbers, so that entries of one run often collide. Ids are made unique to the run below. */
const entry = fc.record({
  organization: few,
  expectedVersion: fc.integer({ min: 1, max: 3 }),
  moves: fc.boolean(),
  activity: few,
  fingerprint: few,
  revision: fc.integer({ min: 0, max: 2 }),
  status: fc.constantFrom('CREATED', 'PENDING', 'CONSENSUS_NEEDED', 'COMPLETED', 'FAILED', 'NONSENSE'),
  inserts: fc.option(few),
  writes: fc.array(
    fc.record({ table: fc.constantFrom('records', 'resources', 'secrets', 'lookups'), row: few, gone: fc.boolean() }),
    { maxLength: 3 },
  ),
});

function toCommit(run: string, given: typeof entry extends fc.Arbitrary<infer T> ? T : never): Commit {
  const name = (kind: string, number: number) => `${run}-${kind}-${number}`;
  const organizationId = name('organization', given.organization);
  const writes = given.writes.map(({ table, row, gone }): Write => {
    const id = name('row', row);
    const body = JSON.stringify(given);
    const op = gone ? 'delete' : 'put';
    if (table === 'records') return { op, table, row: recordRow(organizationId, { id, body, mac }) };
    if (table === 'resources') return { op, table, row: resourceRow(organizationId, { id, body, mac }) };
    if (table === 'secrets') {
      return gone
        ? { op: 'delete', table, row: { organizationId, id } }
        : { op: 'put', table, row: { organizationId, id, ciphertext: mac } };
    }
    return { op, table: 'lookups', row: lookupRow(organizationId, { id }) };
  });
  const inserted = given.inserts === null ? [] : [put.head(headRow(name('organization', given.inserts), { parentId: run, mac }))];
  const activity = activityRow(organizationId, {
    id: name('activity', given.activity),
    fingerprint: name('fingerprint', given.fingerprint),
    revision: given.revision,
    status: `ACTIVITY_STATUS_${given.status}`,
    body: JSON.stringify(given),
    mac,
  });
  return commitOf(organizationId, {
    expected: { version: given.expectedVersion, mac },
    ...(given.moves ? { head: { version: given.expectedVersion + 1, mac } } : {}),
    activity,
    writes: [...inserted, ...writes],
  });
}

async function stateOf(store: Store, run: string): Promise<unknown> {
  const organizations = [0, 1, 2, 3].map((number) => `${run}-organization-${number}`);
  return Promise.all(
    organizations.map(async (id) => ({
      snapshot: await store.organizations.snapshot(id),
      activities: await store.activities.page(id, {}, { limit: 100 }),
      resources: await store.resources.list(id, 'wallet'),
      secrets: await Promise.all([0, 1, 2, 3].map((row) => store.secrets.get(id, `${run}-row-${row}`))),
      lookups: await store.lookups.find(id, 'email', 'a@example.com', { limit: 100 }),
    })),
  );
}

test('both engines give the same results for any sequence of batches and end in the same state', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(entry, { maxLength: 8 }), { maxLength: 4 }), async (batches) => {
      const run = uuidv7();
      const outcomes = await Promise.all(
        stores.map(async (store) => {
          const first = [0, 1].map((number) => `${run}-organization-${number}`);
          await store.commit(
            first.map((id) =>
              commitOf(id, { activity: activityRow(id, { id: 'first', mac }), writes: [put.head(headRow(id, { mac }))] }),
            ),
          );
          const all = [];
          for (const batch of batches) all.push(...(await store.commit(batch.map((given) => toCommit(run, given)))));
          // Engines word their refusals differently.
          return all.map((outcome) => ('detail' in outcome ? { ...outcome, detail: '' } : outcome));
        }),
      );
      expect(outcomes[1]).toEqual(outcomes[0]);
      expect(await stateOf(stores[1] as Store, run)).toStrictEqual(await stateOf(stores[0] as Store, run));
    }),
    { numRuns: 25 },
  );
});

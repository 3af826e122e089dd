import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bucketName, type Counted, type VelocityControlRecord } from '@countersign/judgement';
import fc from 'fast-check';
import { uuidv7 } from 'uuidv7';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDataDirectory } from '../../../../test/support/data-directory.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { createUsageCache, type UsageCache } from '../../src/usage/usage-cache.ts';
import { createUsageService, type UsageSnapshot } from '../../src/usage/usage-service.ts';
import { openIntegrity } from '../../src/vault/integrity/integrity.ts';
import { Secret } from '../../src/vault/keys/secret.ts';
import { activityRow, commitOf, createOrganization } from '../store/rows.ts';

const { integrity } = openIntegrity(new Secret(new Uint8Array(randomBytes(32))));
/** What activities say is tested with the whole service. */
const unverified = { proveUsage: async () => undefined, requireCounted: async () => undefined };
const tampered = (_organizationId: string, what: string) => new Error(what) as never;

let directory: string;
let store: Store;

beforeAll(async () => {
  directory = makeDataDirectory('usage');
  store = await openSqlite({ file: join(directory, 'countersign.db') });
});
afterAll(async () => {
  await store?.close();
  await rm(directory, { recursive: true });
});

const WINDOW_MS = 1_000;

const control = (seconds: string): VelocityControlRecord => ({
  name: 'Limit',
  identifier: 'limit',
  dataSource: { activityExecution: {} },
  aggregation: {
    method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT',
    operator: 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL',
    threshold: '1000000',
    window: { rolling: { duration: seconds } },
    groupBy: { organization: {} },
  },
  epoch: 0,
  createdAtMs: 0,
  updatedAtMs: 0,
});

const newCache = (usage = store.usage) => createUsageCache({ store: { usage }, integrity, ...unverified, tampered });

/** A node of the service: a usage service with its own cache. */
function newNode(cache: UsageCache = newCache()) {
  let nowMs = 0;
  const service = createUsageService(cache, integrity, { nowMs: () => nowMs });
  return {
    /** Counts at a time. Gives the sum of the window before it, as it was committed, and the time of the count. */
    async count(organizationId: string, controlId: string, record: VelocityControlRecord, amount: bigint, atMs: number) {
      nowMs = atMs;
      const bucket = bucketName(controlId, 0, { by: 'organization', key: '' });
      const group = { by: 'organization' as const, key: '' };
      const counted: Counted = { organizationId, controlId, control: record, counts: [{ bucket, amount, group }] };
      const usedBuckets = [{ key: { organizationId, bucket }, counted, amount }];
      const reading: UsageSnapshot = {
        usage: new Map(),
        usedControls: [],
        readBuckets: [],
        usedBuckets,
        nowMs,
        toStored: () => [],
      };
      for (;;) {
        const activity = activityRow(organizationId);
        const claim = service.claim(reading, { organizationId, activityId: activity.id, counts: true });
        if (claim === undefined) {
          await service.renew(reading);
          continue;
        }
        const [outcome] = await store.commit([commitOf(organizationId, { activity, usage: claim.claims })]);
        if (outcome?.taken === true) {
          claim.committed();
          return { used: claim.storedUsage[0]?.used, atMs: claim.storedUsage[0]?.atMs ?? 0 };
        }
        claim.lost(true);
      }
    },
  };
}

test('D134: window sums equal a naive model across two nodes, restarts and clock jumps', async () => {
  const step = fc.record({
    node: fc.integer({ min: 0, max: 1 }),
    amount: fc.integer({ min: 1, max: 9 }),
    jumpMs: fc.oneof({ weight: 6, arbitrary: fc.integer({ min: 0, max: 4 }) }, fc.integer({ min: -2_000, max: 2_500 })),
    restarts: fc.integer({ min: 0, max: 40 }).map((number) => number === 0),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 400 }), async (steps) => {
      const organizationId = await createOrganization(store);
      const controlId = uuidv7();
      const record = control('1');
      const nodes = [newNode(), newNode()];
      const naive: { readonly atMs: number; readonly amount: bigint }[] = [];
      let nowMs = 1_000_000;
      for (const { node, amount, jumpMs, restarts } of steps) {
        nowMs += jumpMs;
        if (restarts) nodes[node] = newNode();
        const counted = await nodes[node]?.count(organizationId, controlId, record, BigInt(amount) * 10n ** 18n, nowMs);
        const atMs = counted?.atMs ?? 0;
        expect(atMs).toBeGreaterThanOrEqual(Math.max(nowMs, naive.at(-1)?.atMs ?? 0));
        const sum = naive.filter((each) => each.atMs > atMs - WINDOW_MS).reduce((total, each) => total + each.amount, 0n);
        expect(BigInt(counted?.used ?? -1)).toBe(sum);
        naive.push({ atMs, amount: BigInt(amount) });
      }
    }),
    { numRuns: 12 },
  );
});

test('a window with more points than the cache holds expires them one by one, and can be extended', async () => {
  const organizationId = await createOrganization(store);
  const controlId = uuidv7();
  const node = newNode();
  const one = 10n ** 18n;
  for (let index = 0; index < 400; index++) await node.count(organizationId, controlId, control('1'), one, 5_000 + index);
  const used = async (record: VelocityControlRecord, atMs: number) =>
    Number((await node.count(organizationId, controlId, record, one, atMs)).used);
  // Counts of 5,000 to 5,399 are in the window; at 6,100 those up to 5,100 have left it.
  expect(await used(control('1'), 6_100)).toBe(299);
  expect(await used(control('1'), 6_101)).toBe(299);
  expect(await used(control('2'), 6_102)).toBe(402);
  expect(await used(control('1'), 6_390)).toBe(12);
  expect(await used(control('1'), 9_000)).toBe(0);
});

describe('D516: another node counts between the reads of a bucket, at a time before the window', () => {
  const one = 10n ** 18n;
  type Meanwhile = (add: () => Promise<unknown>, deleteAll: () => Promise<unknown>) => Promise<unknown>;

  /** A node counts at 10 s, and then another one whose clock is two windows ahead. `before` and `after` surround each read of its window. */
  async function overtaken(before: Meanwhile, after: Meanwhile = async () => undefined) {
    const organizationId = await createOrganization(store);
    const controlId = uuidv7();
    const record = control('1');
    const slow = newNode();
    const add = () => slow.count(organizationId, controlId, record, one, 10_000);
    const key = { organizationId, bucket: bucketName(controlId, 0, { by: 'organization', key: '' }) };
    const deleteAll = () => store.usage.sweep(key, Number.MAX_SAFE_INTEGER, 100);
    await add();
    const lastBefore: typeof store.usage.lastBefore = async (...of) => {
      await before(add, deleteAll);
      const found = await store.usage.lastBefore(...of);
      await after(add, deleteAll);
      return found;
    };
    const late = newNode(newCache({ ...store.usage, lastBefore }));
    return late.count(organizationId, controlId, record, one, 12_000);
  }

  test.each([0, 1, 5])('it reads again, and counts after the other node: %i times', async (times) => {
    let left = times;
    const counted = await overtaken(async (add) => (left-- > 0 ? add() : undefined));
    expect(counted).toEqual({ used: '0', atMs: 12_000 });
  });

  test('it stops after a bounded number of reads, without an alarm', async () => {
    await expect(overtaken((add) => add())).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  test('a count that was read and is missing in the next read raises the alarm', async () => {
    const lost = overtaken(
      (add) => add(),
      (_add, deleteAll) => deleteAll(),
    );
    await expect(lost).rejects.toThrow(/usage is behind the state that this process has seen: revision 2/);
  });

  test('counts that are missing raise the alarm', async () => {
    await expect(overtaken((_add, deleteAll) => deleteAll())).rejects.toThrow(
      /usage is missing or was replaced before revision 1/,
    );
  });
});

import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bucketName, type Counted, type VelocityControlRecord } from '@countersign/judgement';
import fc from 'fast-check';
import { uuidv7 } from 'uuidv7';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

const newCache = () => createUsageCache({ store, integrity, ...unverified, tampered });

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

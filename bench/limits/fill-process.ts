import { bucketName, formatDecimal } from '@countersign/judgement';
import { pino } from 'pino';
import { readConfig } from '../../packages/server/src/config/read-config.ts';
import { openService } from '../../packages/server/src/open-service.ts';
import { toActivityRow } from '../../packages/server/src/organizations/activities/activity-record.ts';
import { usagePoints } from '../../packages/server/src/store/tables.ts';
import { type Point, pointAfter, toPointRow } from '../../packages/server/src/usage/usage-entry.ts';

// Fills a bucket with counts of the last hour: the same rows that signatures write.
const [dataDir = '', databaseUrl = '', organizationId = '', controlId = '', count = '0'] = process.argv.slice(2);
const BATCH = 10_000;
const ONE = 10n ** 18n;
const HOUR_MS = 3_600_000;

const config = { ...readConfig({ dataDir }, {}), ...(databaseUrl !== '' && { databaseUrl }) };
const { services, close } = await openService(config, { log: pino({ level: 'silent' }) });
const { vault, store, organizations, newId } = services;
const organization = await organizations.snapshots.get(organizationId);
if (organization === undefined) throw new Error('the organization to fill does not exist');
const key = { organizationId, bucket: bucketName(controlId, 0, { by: 'organization', key: '' }) };
const total = Number(count);
const startMs = Date.now() - HOUR_MS;
let last: Point | undefined;
const next = (activityId: string) => {
  const atMs = startMs + Math.floor(((last?.revision ?? 0) / total) * HOUR_MS);
  return pointAfter(vault.integrity, key, last, { amount: ONE, atMs, activityId });
};

await store.maintain(async ({ put }) => {
  for (let created = 0; created < total - 1; ) {
    const rows: ReturnType<typeof usagePoints.encode>[] = [];
    for (; rows.length < BATCH && created < total - 1; created++) {
      last = next('made-up');
      rows.push(usagePoints.encode(toPointRow(last)));
    }
    await put({ table: usagePoints, rows });
    process.send?.({ created });
  }
});

// The newest count is looked at together with its activity, so it has one.
const id = newId();
const point = next(id);
const nowMs = Date.now();
const { revision } = point;
const counted = { amount: '1', revision, total: formatDecimal(point.total) };
const usage = {
  control: controlId,
  bucket: key.bucket,
  used: formatDecimal(point.total - ONE),
  revision: revision - 1,
  atMs: point.atMs,
  counted,
};
const record = {
  id,
  organizationId,
  type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2',
  status: 'ACTIVITY_STATUS_COMPLETED' as const,
  fingerprint: `fill:${id}`,
  timestampMs: String(nowMs),
  intent: {},
  result: {},
  failure: null,
  votes: [],
  decisions: [{ voteId: '', createdAtMs: nowMs, outcome: 'ALLOW' as const, policyIds: [], evaluations: [], usage: [usage] }],
  createdAtMs: nowMs,
  updatedAtMs: nowMs,
};
const claim = { ...key, expected: last, next: toPointRow(point) };
const activity = toActivityRow(vault.integrity, record, 0);
const [outcome] = await store.commit([{ organizationId, expected: organization.head, activity, writes: [], usage: [claim] }]);
if (outcome?.taken !== true) throw new Error(`the newest count was refused: ${JSON.stringify(outcome)}`);
await close();

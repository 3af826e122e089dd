import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createActivityReader } from '../../../src/organizations/activities/activities.ts';
import { type ActivityRecord, toActivityRow } from '../../../src/organizations/activities/activity-record.ts';
import type { ActivityRow } from '../../../src/store/rows.ts';
import type { Page, Store } from '../../../src/store/store.ts';
import type { Integrity } from '../../../src/vault/vault.ts';
import { turnsDuring } from '../../admission/turns-during.ts';

/** A MAC over every column. The vault's own is tested with the vault. */
const integrity = {
  activity({ organizationId, id, revision, fingerprint, type, status, body }: ActivityRow) {
    const columns = JSON.stringify([organizationId, id, revision, fingerprint, type, status, body]);
    return new Uint8Array(createHash('sha256').update(columns).digest());
  },
} as unknown as Integrity;

function record(length: number): ActivityRecord {
  return {
    id: 'activity',
    organizationId: 'organization',
    type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOADS',
    status: 'ACTIVITY_STATUS_COMPLETED',
    fingerprint: 'sha256:00',
    timestampMs: '1700000000000',
    intent: { payload: 'x'.repeat(length) },
    result: null,
    failure: null,
    votes: [],
    decisions: [],
    createdAtMs: 0,
    updatedAtMs: 0,
  };
}

/** A reader of one row, which may change between two readings. */
function reading(...rows: ActivityRow[]) {
  let reads = 0;
  const alarms: string[] = [];
  const read = async () => rows[Math.min(reads++, rows.length - 1)];
  const store = { activities: { get: read, byRequest: read, byFingerprint: read } } as unknown as Store;
  const reader = createActivityReader(store, integrity, (_, what) => void alarms.push(what));
  return { reader, alarms, reads: () => reads };
}

const [short, long] = [record(10), record(100_000)].map((each) => ({ each, row: toActivityRow(integrity, each, 0) })) as [
  { each: ActivityRecord; row: ActivityRow },
  { each: ActivityRecord; row: ActivityRow },
];
const request = { timestampMs: '1700000000000', fingerprint: 'sha256:00' };

describe('D252: a large activity', () => {
  test('is read like any other, once, and without a pause in which it would stay in memory', async () => {
    for (const { each, row } of [short, long]) {
      const { reader, reads } = reading(row);
      expect(await reader.get('organization', 'activity')).toEqual(each);
      expect(await reader.byRequest('organization', request)).toEqual(each);
      expect(await reader.byFingerprint('organization', 'sha256:00')).toEqual(each);
      expect(await reader.withRevision('organization', 'sha256:00')).toEqual({ record: each, revision: 0 });
      expect(reads()).toBe(4);
    }
    expect(await turnsDuring(() => reading(long.row).reader.get('organization', 'activity'))).toBe(0);
  });

  test('that was changed outside the service is refused with an alarm', async () => {
    const forged = { ...long.row, body: long.row.body.replace('xx', 'xy') };
    const { reader, alarms } = reading(forged);
    await expect(reader.get('organization', 'activity')).rejects.toMatchObject({ code: 'STATE_TAMPERED' });
    await expect(reader.withRevision('organization', 'sha256:00')).rejects.toMatchObject({ code: 'STATE_TAMPERED' });
    expect(alarms).toHaveLength(2);
    const elsewhere = { ...long.row, requestedAtMs: 1 };
    await expect(reading(elsewhere).reader.get('organization', 'activity')).rejects.toMatchObject({ code: 'STATE_TAMPERED' });
  });
});

describe('D252: a page of activities', () => {
  const ids = Array.from({ length: 30 }, (_, index) => String(index).padStart(3, '0')).reverse();
  /** Every third one is larger than a part. */
  const rows = ids.map((id, index) => toActivityRow(integrity, { ...record(index % 3 === 0 ? 1_200_000 : 10), id }, 0));
  const page = async (_organizationId: string, _filter: unknown, { limit, before, after }: Page) => {
    const within = rows.filter(({ id }) => (before === undefined || id > before) && (after === undefined || id < after));
    return before !== undefined && after === undefined ? within.slice(-limit) : within.slice(0, limit);
  };
  const reader = createActivityReader({ activities: { page } } as unknown as Store, integrity, () => {});

  async function partsOf(asked: Page): Promise<readonly (readonly ActivityRecord[])[]> {
    const parts: (readonly ActivityRecord[])[] = [];
    for await (const part of reader.pageParts('organization', {}, asked)) parts.push(part);
    return parts;
  }
  const idsOf = (parts: readonly (readonly ActivityRecord[])[]) => parts.flat().map(({ id }) => id);

  test('comes in parts that are not large, and has as many activities as it may', async () => {
    const parts = await partsOf({ limit: 25 });
    expect(idsOf(parts)).toEqual(ids.slice(0, 25));
    for (const part of parts) expect(part.length === 1 || JSON.stringify(part).length < 1_100_000).toBe(true);
    expect(idsOf(await partsOf({ limit: 25, after: '010' }))).toEqual(ids.slice(-10));
    expect(idsOf(await partsOf({ limit: 25, after: '025', before: '020' }))).toEqual(['024', '023', '022', '021']);
    expect(await partsOf({ limit: 5, after: '000' })).toEqual([]);
  });

  test('with only `before`, its parts follow each other towards newer activities', async () => {
    const parts = await partsOf({ limit: 20, before: '004' });
    expect(parts.length).toBeGreaterThan(1);
    expect(idsOf(parts.toReversed())).toEqual(ids.slice(5, 25));
  });
});

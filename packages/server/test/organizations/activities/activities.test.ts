import { createHash } from 'node:crypto';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { createActivityReader } from '../../../src/organizations/activities/activities.ts';
import { type ActivityRecord, toActivityRow } from '../../../src/organizations/activities/activity-record.ts';
import type { ActivityRow } from '../../../src/store/rows.ts';
import type { Store } from '../../../src/store/store.ts';
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
  test('is read like any other, and others have turns before it is checked and before it is parsed', async () => {
    for (const { each, row } of [short, long]) {
      const { reader } = reading(row);
      expect(await reader.get('organization', 'activity')).toEqual(each);
      expect(await reader.byRequest('organization', request)).toEqual(each);
      expect(await reader.byFingerprint('organization', 'sha256:00')).toEqual(each);
      expect(await reader.withRevision('organization', 'sha256:00')).toEqual({ record: each, revision: 0 });
    }
    const turns = (row: ActivityRow) => turnsDuring(() => reading(row).reader.get('organization', 'activity'));
    expect([await turns(short.row), await turns(long.row)]).toEqual([0, 2]);
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

  test('waits for a place and is read again then; a short one asks for none', async () => {
    let asked = 0;
    const place = async () => void asked++;
    const { reader, reads } = reading(long.row, short.row);
    expect(await reader.get('organization', 'activity', place)).toEqual(short.each);
    expect([asked, reads()]).toEqual([1, 2]);
    expect(await reading(short.row).reader.get('organization', 'activity', place)).toEqual(short.each);
    expect(await reading(long.row).reader.get('organization', 'activity', () => undefined)).toEqual(long.each);
    expect(asked).toBe(1);
  });

  test('is not held in memory while it waits for a place', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const rows: WeakRef<ActivityRow>[] = [];
    const get = async () => {
      const row = { ...long.row };
      rows.push(new WeakRef(row));
      return row;
    };
    const reader = createActivityReader({ activities: { get } } as unknown as Store, integrity, () => {});
    let enter = () => {};
    const place = new Promise<void>((resolve) => {
      enter = resolve;
    });
    const read = reader.get('organization', 'activity', () => place);
    await nextLoop();
    collectGarbage();
    expect(rows.map((row) => row.deref())).toEqual([undefined]);
    enter();
    expect(await read).toEqual(long.each);
  });

  test('is in memory for four votes or repeated requests at a time; the others read it again when they have a place', async () => {
    const { reader, reads } = reading(long.row);
    const names = () => [reader.byFingerprint('organization', 'sha256:00'), reader.byRequest('organization', request)];
    expect(await Promise.all(Array.from({ length: 10 }, names).flat())).toEqual(Array(20).fill(long.each));
    expect(reads()).toBe(20 + 16);
    const forged = reading({ ...long.row, body: long.row.body.replace('xx', 'xy') });
    const refused = Array.from({ length: 10 }, () => forged.reader.byFingerprint('organization', 'sha256:00'));
    for (const each of await Promise.allSettled(refused)) expect(each.status).toBe('rejected');
  });

  test('is read for the vote that is counted before it is read for those that are to come', async () => {
    const { reader } = reading(long.row);
    let others = 0;
    const all = Array.from({ length: 50 }, async () => {
      await reader.byFingerprint('organization', 'sha256:00');
      others += 1;
    });
    expect(await reader.withRevision('organization', 'sha256:00')).toEqual({ record: long.each, revision: 0 });
    expect(others).toBeLessThan(10);
    await Promise.all(all);
  });
});

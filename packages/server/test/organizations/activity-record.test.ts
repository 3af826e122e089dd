import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ActivityRecord, toActivityRecord, toActivityRow } from '../../src/organizations/activity-record.ts';
import type { ActivityRow } from '../../src/store/rows.ts';
import type { Integrity } from '../../src/vault/vault.ts';

/** A MAC over every column. The vault's own is tested with the vault. */
const integrity = {
  activity({ organizationId, id, revision, fingerprint, type, status, body }: ActivityRow) {
    const columns = JSON.stringify([organizationId, id, revision, fingerprint, type, status, body]);
    return new Uint8Array(createHash('sha256').update(columns).digest());
  },
} as unknown as Integrity;

const text = fc.string({ unit: 'grapheme' });
const time = fc.nat();
const timestamp = fc.maxSafeNat().map(String);
const json = fc.jsonValue();
const vote = fc.record({
  id: text,
  userId: text,
  userName: text,
  credentialId: text,
  selection: fc.constantFrom('VOTE_SELECTION_APPROVED' as const, 'VOTE_SELECTION_REJECTED' as const),
  message: text,
  publicKey: text,
  signature: text,
  scheme: text,
  createdAtMs: time,
});
const decision = fc.record({
  voteId: text,
  createdAtMs: time,
  outcome: fc.constantFrom('ALLOW' as const, 'DENY' as const, 'NEEDS_CONSENSUS' as const),
  policyIds: fc.array(text),
  evaluations: fc.constant([]),
});

/** Fields that every record has, and those that it may have. A field that a record gains and that is missing here does not compile. */
const always = {
  id: text,
  organizationId: text,
  type: text,
  status: fc.constant('ACTIVITY_STATUS_COMPLETED' as const),
  fingerprint: text,
  timestampMs: timestamp,
  intent: json,
  result: fc.option(fc.dictionary(text, json), { nil: null }),
  failure: fc.option(fc.record({ code: fc.nat(16), message: text, details: fc.constant([]) }), { nil: null }),
  votes: fc.array(vote, { maxLength: 3 }),
  decisions: fc.array(decision, { maxLength: 3 }),
  createdAtMs: time,
  updatedAtMs: time,
};
const sometimes = {
  judgedBy: text,
  parsed: fc.constant({ summary: 'as "read"' } as never),
  judgedParameters: fc.dictionary(text, json),
  warnings: fc.array(text),
  tracked: fc.constant(true as const),
  changed: fc.record({ changes: fc.constant([]), parameters: json }),
};
const fields = { ...always, ...sometimes } satisfies { [Key in keyof Required<ActivityRecord>]: fc.Arbitrary<unknown> };
const records = fc.record(fields, { requiredKeys: Object.keys(always) as (keyof typeof always)[] });

describe('activity-record', () => {
  test('every record comes back from its row as it was', () => {
    fc.assert(
      fc.property(records, fc.nat(9), (record, revision) => {
        const row = toActivityRow(integrity, record as ActivityRecord, revision);
        expect(toActivityRecord(integrity, row)).toEqual(JSON.parse(JSON.stringify(record)));
      }),
    );
  });

  test('R2: a row that names another time than its body is not genuine', () => {
    fc.assert(
      fc.property(records, fc.integer({ min: -9, max: 9 }), (record, later) => {
        const row = toActivityRow(integrity, record as ActivityRecord, 0);
        const moved = { ...row, requestedAtMs: row.requestedAtMs + later };
        expect(toActivityRecord(integrity, moved) === undefined).toBe(moved.requestedAtMs !== row.requestedAtMs);
      }),
    );
  });
});

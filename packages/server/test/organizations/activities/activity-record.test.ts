import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type ActivityRecord,
  outcomeOf,
  toActivityRecord,
  toActivityRow,
} from '../../../src/organizations/activities/activity-record.ts';
import type { ActivityRow } from '../../../src/store/rows.ts';
import type { Integrity } from '../../../src/vault/vault.ts';

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
  warnedOn: fc.record({ policies: fc.nat(), controls: fc.nat(), atMs: time }),
  comparison: fc.constant({ changes: [], omitted: 1 } as never),
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

  test('the stored text of a record is fixed, field by field', () => {
    const { outcome, body } = stored(goldenRecord);
    expect(outcome.decision).toBe(
      '{"voteId":"v2","createdAtMs":3,"outcome":"ALLOW","by":"POLICY","policyIds":["p\\"1"],"evaluations":[{"policyId":"p\\"1","outcome":"OUTCOME_ALLOW","denies":false}],"explanation":{"decision":{"outcome":"ALLOW","by":"POLICY","policyIds":["p\\"1"],"evaluations":[]},"rootQuorum":{"met":false,"approved":0,"threshold":1},"approvers":["u"],"policies":[{"policyId":"p\\"1","outcome":"OUTCOME_ALLOW","denies":false,"effect":"EFFECT_ALLOW","expressions":{"condition":{"text":"a == 1","span":{"start":0,"end":6},"value":"true","parts":[{"text":"a","span":{"start":0,"end":1},"value":"1","note":"is \u2028 é 😀","parts":[]}]}},"reasons":[]}],"changes":[]}}',
    );
    expect(outcome.result).toBe('{"r":"00","list":[1,null]}');
    expect(body).toBe(
      `{"timestampMs":"1","judgedBy":"parent","intent":{"b":1,"a":[true,null]},"parsed":{"summary":"as \\"read\\""},"judgedParameters":{"p":"\\n"},"warnings":["w"],"tracked":true,"changed":{"changes":[],"parameters":{}},"failure":{"code":7,"message":"m","details":[]},"votes":[],"createdAtMs":2,"updatedAtMs":3,"result":{"r":"00","list":[1,null]},"decisions":[{"voteId":"v1","createdAtMs":2,"outcome":"DENY","policyIds":[],"evaluations":[]},${outcome.decision}]}`,
    );
    const { judgedBy: _, parsed: _p, judgedParameters: _j, warnings: _w, tracked: _t, changed: _c, ...least } = goldenRecord;
    expect(stored({ ...least, intent: null, result: null, failure: null, decisions: [] })).toEqual({
      outcome: { decision: undefined, result: undefined },
      body: '{"timestampMs":"1","intent":null,"failure":null,"votes":[],"createdAtMs":2,"updatedAtMs":3,"result":null,"decisions":[]}',
    });
  });
});

/** Every optional field, in another order than the stored one. */
const goldenRecord = {
  updatedAtMs: 3,
  createdAtMs: 2,
  decisions: [
    { voteId: 'v1', createdAtMs: 2, outcome: 'DENY', policyIds: [], evaluations: [] },
    {
      voteId: 'v2',
      createdAtMs: 3,
      outcome: 'ALLOW',
      by: 'POLICY',
      policyIds: ['p"1'],
      mayApprove: undefined,
      evaluations: [{ policyId: 'p"1', outcome: 'OUTCOME_ALLOW', denies: false }],
      explanation: {
        decision: { outcome: 'ALLOW', by: 'POLICY', policyIds: ['p"1'], evaluations: [] },
        rootQuorum: { met: false, approved: 0, threshold: 1 },
        approvers: ['u'],
        policies: [
          {
            policyId: 'p"1',
            outcome: 'OUTCOME_ALLOW',
            denies: false,
            effect: 'EFFECT_ALLOW',
            expressions: {
              condition: {
                text: 'a == 1',
                span: { start: 0, end: 6 },
                value: 'true',
                parts: [{ text: 'a', span: { start: 0, end: 1 }, value: '1', note: 'is \u2028 é 😀', parts: [] }],
              },
            },
            reasons: [],
          },
        ],
        changes: [],
      },
    },
  ],
  votes: [],
  failure: { code: 7, message: 'm', details: [] },
  changed: { changes: [], parameters: {} },
  tracked: true,
  warnings: ['w'],
  judgedParameters: { p: '\n' },
  parsed: { summary: 'as "read"' },
  result: { r: '00', list: [1, null] },
  intent: { b: 1, a: [true, null] },
  judgedBy: 'parent',
  timestampMs: '1',
  fingerprint: 'f',
  status: 'ACTIVITY_STATUS_COMPLETED',
  type: 't',
  organizationId: 'o',
  id: 'i',
} as unknown as ActivityRecord;

function stored(record: ActivityRecord) {
  return { outcome: outcomeOf(record), body: toActivityRow(integrity, record, 0).body };
}

import { deflateRawSync } from 'node:zlib';
import { openingText } from '@countersign/tlog';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { packBody, unpackBody } from '../../src/store/packed-body.ts';
import { packedRange, packOpening, unpackOpening } from '../../src/store/packed-opening.ts';
import { activities, logLeaves } from '../../src/store/tables.ts';

const uuid = fc.uuid({ version: 7 });
const digest = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex'));

describe('the body of an activity', () => {
  const roundTrip = (body: string) => {
    const packed = packBody(body);
    return packed.length === 0 ? body : unpackBody(packed);
  };

  test('any JSON object has the same text when it is read', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), (value) => {
        const body = JSON.stringify(value);
        expect(roundTrip(body)).toBe(body);
      }),
    );
  });

  test('the body of a signature takes less than a third', () => {
    const vote = { id: '01a1ee22-88df-78fc-b82b-d90d4c5ee292', userId: '01a1ee22-85cb-7dd5-8c3e-e5ee86d34e39', userName: 'Ada' };
    const intent = { privateKeyId: '01a1ee22-86b1-7459-8a7f-627b36252c9c', payload: 'e2'.repeat(32) };
    const message = JSON.stringify({
      type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2',
      timestampMs: '1794996603100',
      parameters: intent,
    });
    const votes = [{ ...vote, selection: 'VOTE_SELECTION_APPROVED', message, scheme: 'SIGNATURE_SCHEME_TK_API_P256' }];
    const body = JSON.stringify({ timestampMs: '1794996603100', intent, tracked: true, failure: null, votes });
    expect(packBody(body).length).toBeGreaterThan(0);
    expect(packBody(body).length).toBeLessThan(body.length / 3);
  });

  test.each([
    ['ciphertext', `sealed1.${'A'.repeat(900)}`],
    ['a long body', JSON.stringify({ message: 'long '.repeat(4_000) })],
    ['a body that a small row would unpack to', JSON.stringify({ message: 'a'.repeat(12_000) })],
  ])('%s stays as it is', (_, body) => {
    expect(packBody(body)).toHaveLength(0);
  });

  test('D540: a stored row does not unpack to far more than its bytes, and damaged bytes give no body', () => {
    const bomb = deflateRawSync(Buffer.alloc(64 * 1024 * 1024, '{'));
    expect(unpackBody(bomb)).toBe('');
    const packed = packBody(JSON.stringify({ message: 'A message of an activity that is stored in its shorter form.' }));
    expect(unpackBody(packed)).toContain('shorter form');
    expect(unpackBody(packed.subarray(0, -4))).toBe('');
    expect(unpackBody(Uint8Array.of(0xff, 0xff))).toBe('');
  });

  test('a row has its text in one of two columns', () => {
    const keys = { organizationId: 'o', id: 'a', revision: 0, fingerprint: 'f', requestedAtMs: 1, type: 't', status: 's' };
    const names = activities.columns.map(({ name }) => name);
    for (const [body, isPacked] of [
      [JSON.stringify({ votes: [{ selection: 'VOTE_SELECTION_APPROVED', scheme: 'SIGNATURE_SCHEME_TK_API_P256' }] }), true],
      ['sealed1.AAAA', false],
      ['', false],
    ] as const) {
      const row = { ...keys, mac: new Uint8Array(32), body };
      const stored = Object.fromEntries(activities.encode(row).map((value, at) => [names[at], value]));
      expect([stored.body, (stored.packed as Uint8Array).length > 0]).toEqual(isPacked ? ['', true] : [body, false]);
      expect(activities.decode(stored)).toEqual(row);
    }
  });
});

describe('the opening of a leaf', () => {
  const leaves = fc.record({
    organizationId: uuid,
    activityId: uuid,
    sequence: fc.integer({ min: 2, max: 2 ** 40 }),
    revision: fc.nat(),
    previousLeaf: digest,
    fingerprint: digest,
    type: fc.constantFrom('ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', 'ACTIVITY_TYPE_FREEZE', 'STATE_CHANGED'),
    status: fc.constantFrom('ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_STATUS_CONSENSUS_NEEDED', 'ACTIVITY_STATUS_FAILED', 'DONE'),
    decisionDigest: fc.oneof(digest, fc.constant('')),
    resultDigest: fc.oneof(digest, fc.constant('')),
    timeMs: fc.oneof(fc.integer({ min: 0, max: 2 ** 48 - 1 }), fc.constant(2 ** 50)),
    judgedBy: fc.option(uuid, { nil: undefined }),
    authorizationDigest: digest,
    headVersion: fc.oneof(fc.integer({ min: 1, max: 2 ** 32 - 1 }), fc.constant(2 ** 33)),
    headDigest: digest,
  });

  const toRow = ({ fingerprint, ...leaf }: typeof leaves extends fc.Arbitrary<infer L> ? L : never) => {
    const { organizationId, activityId, sequence, revision, judgedBy, ...rest } = leaf;
    const named = {
      ...rest,
      fingerprint: `sha256:${fingerprint}`,
      credentialKind: 'API_KEY',
      ...(judgedBy !== undefined && { judgedBy }),
    };
    const opening = openingText({ version: 2, shard: 0, organizationId, activityId, sequence, revision, ...named });
    return { organizationId, activityId, revision, sequence, leafIndex: 7, opening, commitment: new Uint8Array(33) };
  };

  test('any opening has the same text when it is read', () => {
    const names = logLeaves.columns.map(({ name }) => name);
    let packed = 0;
    fc.assert(
      fc.property(leaves, (leaf) => {
        const row = toRow(leaf);
        const stored = Object.fromEntries(logLeaves.encode(row).map((value, at) => [names[at], value]));
        packed += Math.sign((stored.packed as Uint8Array).length);
        expect(logLeaves.decode(stored)).toEqual(row);
      }),
      { numRuns: 500 },
    );
    expect(packed).toBeGreaterThan(20);
  });

  const [sample] = fc.sample(leaves, { numRuns: 1, seed: 1 });
  const base = {
    ...sample,
    status: 'ACTIVITY_STATUS_COMPLETED',
    timeMs: 1_794_996_603_100,
    headVersion: 2,
    judgedBy: undefined,
  } as never;

  test('the opening of a signature takes less than a third', () => {
    const row = toRow({ ...(base as object), type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2' } as never);
    expect(packOpening(row).length).toBeGreaterThan(0);
    expect(packOpening(row).length).toBeLessThan(row.opening.length / 3);
  });

  test('an opening of another row, or in another spelling, stays text', () => {
    const row = toRow({ ...(base as object), type: 'ACTIVITY_TYPE_FREEZE' } as never);
    expect(packOpening({ ...row, sequence: row.sequence + 1 })).toHaveLength(0);
    expect(packOpening({ ...row, opening: row.opening.replace('"shard":0', '"shard": 0') })).toHaveLength(0);
    expect(packOpening({ ...row, opening: `${row.opening} ` })).toHaveLength(0);
  });

  test('bytes that are cut, longer or of another form give no opening', () => {
    const row = toRow({ ...(base as object), type: 'ACTIVITY_TYPE_FREEZE' } as never);
    const packed = packOpening(row);
    expect(unpackOpening(row, packed)).toBe(row.opening);
    for (const length of [0, 1, 2, 10, packed.length - 1]) expect(unpackOpening(row, packed.subarray(0, length))).toBe('');
    expect(unpackOpening(row, Buffer.concat([packed, Buffer.of(0)]))).toBe('');
    expect(unpackOpening(row, Buffer.concat([Buffer.of(2), packed.subarray(1)]))).toBe('');
  });

  test('a range of bytes finds a status and a type', () => {
    const within = (bytes: Uint8Array, [from, to]: readonly [Uint8Array, Uint8Array]) =>
      Buffer.compare(bytes, from) >= 0 && Buffer.compare(bytes, to) < 0;
    const frozen = packOpening(toRow({ ...(base as object), type: 'ACTIVITY_TYPE_FREEZE' } as never));
    expect(within(frozen, packedRange('ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_TYPE_FREEZE'))).toBe(true);
    expect(within(frozen, packedRange('ACTIVITY_STATUS_COMPLETED'))).toBe(true);
    expect(within(frozen, packedRange('ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_TYPE_UNFREEZE'))).toBe(false);
    expect(within(frozen, packedRange('ACTIVITY_STATUS_CONSENSUS_NEEDED'))).toBe(false);
  });
});

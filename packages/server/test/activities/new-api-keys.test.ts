import type { CredentialType, ServiceError } from '@countersign/contract';
import { expired } from '@countersign/judgement';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeRoomForMailed } from '../../src/activities/credentials/mailed-keys.ts';
import { makeRoom, type NewApiKey } from '../../src/activities/credentials/new-api-keys.ts';
import type { ApiKeyRecord } from '../../src/organizations/records.ts';

const now = 1_000_000;

function newKey(expires: boolean, ageMs = 0): NewApiKey {
  return {
    apiKeyName: 'Key',
    publicKey: '',
    curve: 'API_KEY_CURVE_P256',
    type: 'CREDENTIAL_TYPE_API_KEY_P256',
    ...(expires && { expirationSeconds: '100' }),
    createdAtMs: now - ageMs,
    updatedAtMs: now,
  };
}

const held = fc
  .array(fc.record({ expires: fc.boolean(), ageMs: fc.integer({ min: 0, max: 200_000 }) }), { maxLength: 12 })
  .map(
    (keys) =>
      new Map<string, ApiKeyRecord>(keys.map(({ expires, ageMs }, at) => [`k${at}`, { ...newKey(expires, ageMs), userId: 'u' }])),
  );
const added = fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }).map((keys) => keys.map((expires) => newKey(expires)));
const limits = fc.integer({ min: 1, max: 8 });

const isExpiring = ({ expirationSeconds }: { expirationSeconds?: string }) => expirationSeconds !== undefined;

describe('room for API keys', () => {
  test('either others make room for the new keys, or the request is refused with the limit', () => {
    fc.assert(
      fc.property(held, added, limits, (keys, more, limit) => {
        let gone: string[];
        try {
          gone = makeRoom(keys, more, limit, now);
        } catch (error) {
          expect((error as ServiceError).code).toBe('LIMIT_EXCEEDED');
          const lasting = [...keys.values(), ...more].filter((key) => !isExpiring(key)).length;
          expect(lasting > limit || more.filter(isExpiring).length > limit).toBe(true);
          return;
        }
        const left = [...keys].filter(([id]) => !gone.includes(id)).map(([, key]) => key);
        for (const id of gone) expect(isExpiring(keys.get(id) as ApiKeyRecord)).toBe(true);
        if (more.some(isExpiring)) expect([...left, ...more].filter(isExpiring).length).toBeLessThanOrEqual(Math.max(limit, 0));
        else expect(gone).toEqual([]);
      }),
    );
  });

  test('keys that should make room first are removed first', () => {
    fc.assert(
      fc.property(held, limits, (keys, limit) => {
        const gone = new Set(makeRoom(keys, [newKey(true)], limit, now));
        const rank = (key: ApiKeyRecord) => [expired(key, now) ? 0 : 1, key.createdAtMs] as const;
        for (const [id, key] of keys) {
          for (const [otherId, other] of keys) {
            if (!gone.has(id) || gone.has(otherId) || !isExpiring(other)) continue;
            const [[a, aAt], [b, bAt]] = [rank(key), rank(other)];
            expect(a < b || (a === b && aAt <= bAt)).toBe(true);
          }
        }
      }),
    );
  });
});

describe('A12: room for keys of one kind', () => {
  const session = (type: CredentialType, fields: Partial<ApiKeyRecord> = {}): ApiKeyRecord => ({
    ...newKey(true, 1),
    type,
    userId: 'u',
    ...fields,
  });
  const LOGIN = 'CREDENTIAL_TYPE_LOGIN';
  const MAILED = 'CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256';

  test('is made by that kind alone', () => {
    const keys = new Map([
      ['login', session(LOGIN)],
      ['year', { ...newKey(true, 50), userId: 'u' }],
      ['opened', session(MAILED)],
    ]);
    expect(makeRoom(keys, [session(LOGIN)], 1, now)).toEqual(['login']);
    expect(makeRoom(keys, [session('CREDENTIAL_TYPE_OAUTH_KEY_P256')], 1, now)).toEqual([]);
    expect(makeRoom(keys, [{ ...newKey(true), type: 'CREDENTIAL_TYPE_API_KEY_ED25519' }], 1, now)).toEqual(['year']);
  });

  test('is made for a mailed key by mailed keys that nobody used, the oldest first', () => {
    const keys = new Map([
      ['used', session(MAILED, { createdAtMs: now - 90_000 })],
      ['new', session(MAILED, { messageId: 'm1', createdAtMs: now - 10 })],
      ['old', session(MAILED, { messageId: 'm2', createdAtMs: now - 20 })],
      ['over', session(MAILED, { messageId: 'm3', createdAtMs: now - 15, expirationSeconds: '0' })],
      ['other kind', session('CREDENTIAL_TYPE_RECOVER_USER_KEY_P256', { messageId: 'm4', createdAtMs: now - 99 })],
    ]);
    expect(makeRoomForMailed(keys, MAILED, 4, now)).toEqual([]);
    expect(makeRoomForMailed(keys, MAILED, 3, now)).toEqual(['over']);
    expect(makeRoomForMailed(keys, MAILED, 2, now)).toEqual(['over', 'old']);
    expect(makeRoomForMailed(keys, MAILED, 1, now)).toEqual(['over', 'old', 'new']);
  });
});

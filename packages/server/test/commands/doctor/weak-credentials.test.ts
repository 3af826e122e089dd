import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { expect, test } from 'vitest';
import { weakCredentialsOf, weakKeyAdvice } from '../../../src/commands/doctor/weak-credentials.ts';
import type { ApiKeyRecord, AuthenticatorRecord } from '../../../src/organizations/records.ts';

/** The COSE form of a P-256 key (RFC 9053 section 7.1.1). */
function cose(point: Uint8Array): string {
  const parts = [Buffer.from('a5010203262001215820', 'hex'), point.slice(1, 33), Buffer.from('225820', 'hex'), point.slice(33)];
  return Buffer.concat(parts).toString('base64url');
}

test('D284: doctor lists stored credentials whose private keys everyone knows', () => {
  const [random, small] = [p256.Point.BASE.multiply(2n ** 200n + 1n), p256.Point.BASE.multiply(7n)];
  const key = (publicKey: string, curve: ApiKeyRecord['curve']) => ({ userId: 'u', publicKey, curve }) as ApiKeyRecord;
  const passkey = (publicKey: string) => ({ userId: 'u', publicKey }) as AuthenticatorRecord;
  const found = weakCredentialsOf({
    id: 'o',
    apiKeys: new Map([
      ['strong', key(random.toHex(true), 'API_KEY_CURVE_P256')],
      ['weak', key(small.toHex(true), 'API_KEY_CURVE_P256')],
      ['wallet', key(secp256k1.Point.BASE.negate().toHex(true), 'API_KEY_CURVE_SECP256K1')],
    ]) as never,
    authenticators: new Map([
      ['safe', passkey(cose(random.toBytes(false)))],
      ['unsafe', passkey(cose(small.toBytes(false)))],
    ]) as never,
  });
  expect(found.map(({ credentialId }) => credentialId)).toEqual(['weak', 'wallet', 'unsafe']);
  expect(weakKeyAdvice(found)[0]?.detail).toContain('unsafe (user u, organization o)');
  expect(weakKeyAdvice([])).toEqual([]);
});

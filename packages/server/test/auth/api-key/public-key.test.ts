import { readFileSync } from 'node:fs';
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ApiKeyCurve, apiKeyCurves, canonicalPublicKey, publicKeyName } from '../../../src/auth/api-key/public-key.ts';
import { CredentialError } from '../../../src/auth/credential-error.ts';

interface PublicKeyCase {
  readonly name: string;
  readonly curve: ApiKeyCurve;
  readonly text: string;
  readonly canonical: string | null;
}

const vectors = new URL('../../../../../conformance/stamps/public-keys.json', import.meta.url);
const { cases } = JSON.parse(readFileSync(vectors, 'utf8')) as { readonly cases: readonly PublicKeyCase[] };

describe('D08: one canonical form of a public key, or none', () => {
  test.each(cases)('$name', ({ curve, text, canonical }) => {
    if (canonical === null) {
      expect(() => canonicalPublicKey(text, curve)).toThrow(CredentialError);
    } else {
      expect(canonicalPublicKey(text, curve)).toBe(canonical);
      expect(publicKeyName(text, curve)).toBe(canonical);
    }
  });

  const secrets = fc.uint8Array({ minLength: 32, maxLength: 32 }).filter((bytes) => bytes[0] !== 0xff && bytes[0] !== 0);
  const honestKeys: Readonly<Record<ApiKeyCurve, (secret: Uint8Array) => Uint8Array>> = {
    API_KEY_CURVE_P256: (secret) => p256.getPublicKey(secret),
    API_KEY_CURVE_SECP256K1: (secret) => secp256k1.getPublicKey(secret),
    API_KEY_CURVE_ED25519: (secret) => ed25519.getPublicKey(secret),
  };

  test.each(apiKeyCurves)('%s: every valid key is accepted in upper and lower case', (curve) => {
    fc.assert(
      fc.property(secrets, (secret) => {
        const hex = Buffer.from(honestKeys[curve](secret)).toString('hex');
        expect(canonicalPublicKey(hex, curve)).toBe(hex);
        expect(canonicalPublicKey(hex.toUpperCase(), curve)).toBe(hex);
      }),
      { numRuns: 20 },
    );
  });

  test('the error says what to send', () => {
    expect(() => canonicalPublicKey('04', 'API_KEY_CURVE_P256')).toThrow('66 hex digits that begin with 02 or 03');
    expect(() => canonicalPublicKey('04', 'API_KEY_CURVE_ED25519')).toThrow('64 hex digits');
    expect(() => canonicalPublicKey('00'.repeat(32), 'API_KEY_CURVE_ED25519')).toThrow('not a usable point');
  });
});

import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decrypt, encrypt } from '../../src/vault/aead.ts';
import { unwrapDataKey, wrapDataKey } from '../../src/vault/data-key.ts';
import { type Binding, purposes, seal, unseal } from '../../src/vault/envelope.ts';
import { VaultError } from '../../src/vault/errors.ts';
import { encodeFields } from '../../src/vault/integrity/keyed-hash.ts';
import { Secret } from '../../src/vault/keys/secret.ts';
import { localRootKey } from '../../src/vault/root-key/root-key.ts';
import { toHex } from './support.ts';

const binding: Binding = { organizationId: 'org-1', id: 'key-1', purpose: purposes.CURVE_SECP256K1 };

describe('fields', () => {
  test('no two lists of texts have the same encoding', () => {
    const texts = fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('', ':', '1:', '2:ab', '0:0:')));
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        expect(encodeFields(...a) === encodeFields(...b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
      { numRuns: 1000 },
    );
    expect(encodeFields('ab', 'c')).not.toBe(encodeFields('a', 'bc'));
    expect(encodeFields('a', '')).not.toBe(encodeFields('', 'a'));
  });
});

describe('authenticated encryption', () => {
  test('opens what it sealed, and nothing that was altered, truncated or given other associated data', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.string(), fc.nat(), (plaintext, context, at) => {
        const key = randomBytes(32);
        const sealed = encrypt(key, plaintext, context);
        expect(toHex(decrypt(key, sealed, context) as Uint8Array)).toBe(toHex(plaintext));
        const altered = sealed.slice();
        altered[at % altered.length] = (altered[at % altered.length] as number) ^ 1;
        expect(decrypt(key, altered, context)).toBeUndefined();
        expect(decrypt(key, sealed.subarray(0, at % sealed.length), context)).toBeUndefined();
        expect(decrypt(key, sealed, `${context}.`)).toBeUndefined();
        expect(decrypt(randomBytes(32), sealed, context)).toBeUndefined();
      }),
    );
  });

  test('sealing the same plaintext twice gives different ciphertexts', () => {
    const key = randomBytes(32);
    const sealed = Array.from({ length: 500 }, () => toHex(encrypt(key, new Uint8Array(32), '')));
    expect(new Set(sealed.map((text) => text.slice(2, 26))).size).toBe(500);
  });
});

describe('the envelope', () => {
  const dataKey = new Secret(randomBytes(32));
  const sealed = seal(dataKey, new Uint8Array(32).fill(9), binding);

  test('opens under its own binding', () => {
    expect(toHex(unseal(dataKey, sealed, binding).bytes)).toBe('09'.repeat(32));
  });

  test.each<[string, Partial<Binding>]>([
    ['organization', { organizationId: 'org-2' }],
    ['resource', { id: 'key-2' }],
    ['curve', { purpose: purposes.CURVE_P256 }],
    ['purpose', { purpose: purposes.WALLET }],
    ['split between organization and resource', { organizationId: 'org-1k', id: 'ey-1' }],
  ])('D62: a ciphertext moved to another %s does not open', (_, moved) => {
    expect(() => unseal(dataKey, sealed, { ...binding, ...moved })).toThrow(VaultError);
  });

  test('all purposes are different', () => {
    expect(new Set(Object.values(purposes)).size).toBe(Object.keys(purposes).length);
  });
});

describe('wrapped data keys', () => {
  test('D62: a data key opens for its organization and root key only', async () => {
    const [first, second] = [localRootKey(randomBytes(32)), localRootKey(randomBytes(32))];
    const row = await wrapDataKey(first, 'org-1', new Secret(new Uint8Array(32).fill(3)));
    expect(toHex((await unwrapDataKey(first, row)).bytes)).toBe('03'.repeat(32));
    await expect(unwrapDataKey(first, { ...row, organizationId: 'org-2' })).rejects.toThrow(VaultError);
    await expect(unwrapDataKey(first, { ...row, rootKeyId: second.id })).rejects.toThrow(VaultError);
    await expect(unwrapDataKey(second, row)).rejects.toThrow(VaultError);
  });
});

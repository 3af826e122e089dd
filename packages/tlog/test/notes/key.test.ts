import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  cosignatureVerifier,
  ed25519Verifier,
  formatSignerKey,
  formatVerifierKey,
  keyId,
  parseSignerKey,
  parseVerifierKey,
  type SignerKey,
  TlogError,
  verifierKeyOf,
} from '../../src/index.ts';
import { keyName, keyNamed, keys } from '../support/notes.ts';
import { unhex } from '../support/vectors.ts';

const peter = keyNamed('PeterNeumann');

describe('conformance/log/notes.json', () => {
  it.each(keys)('has the key of $name, type $type', ({ name, type, verifier, signer }) => {
    const key = parseSignerKey(signer);
    expect(key).toMatchObject({ name, type });
    expect(formatSignerKey(key)).toBe(signer);
    expect(formatVerifierKey(verifierKeyOf(key))).toBe(verifier);
    expect(parseVerifierKey(verifier)).toEqual(verifierKeyOf(key));
  });
});

test("the key of Go's note package has its id", () => {
  expect(keyId(parseVerifierKey('PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'))).toBe(0xc74f20a3);
});

test('keys are read back from their text', () => {
  const signerKey = fc.record<SignerKey>({
    name: keyName,
    type: fc.constantFrom('ed25519', 'cosignature'),
    seed: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  });
  fc.assert(
    fc.property(signerKey, (key) => {
      expect(parseSignerKey(formatSignerKey(key))).toEqual(key);
      expect(parseVerifierKey(formatVerifierKey(verifierKeyOf(key)))).toEqual(verifierKeyOf(key));
    }),
    { numRuns: 25 },
  );
});

describe.each([
  { kind: 'verifier', text: peter.verifier, parse: parseVerifierKey },
  { kind: 'signer', text: peter.signer, parse: parseSignerKey },
])('a $kind key', ({ text, parse }) => {
  it('is refused if any character is another', () => {
    for (let at = 0; at < text.length; at++) {
      const changed = text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) + 1) + text.slice(at + 1);
      expect(() => parse(changed)).toThrow(TlogError);
    }
  });

  it('is refused if it is cut or goes on', () => {
    for (let end = 0; end < text.length; end++) {
      expect(() => parse(text.slice(0, end))).toThrow(TlogError);
      expect(() => parse(text.slice(end + 1))).toThrow(TlogError);
    }
    for (const extra of ['\n', ' ', '=', 'AAAA', '+']) expect(() => parse(text + extra)).toThrow(TlogError);
  });

  it('is a TlogError for any other text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (other) => {
        expect(() => parse(other)).toThrow(TlogError);
      }),
    );
  });
});

test('no message quotes a signer key', () => {
  for (const text of [peter.signer.slice(0, -4), peter.signer.replace('c74f20a3', 'c74f20a4'), `${peter.signer}=`]) {
    let message = '';
    try {
      parseSignerKey(text);
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain('TlogError');
    expect(message).not.toContain(peter.signer.slice(-20, -8));
  }
});

test.each([
  ['an upper-case id', peter.verifier.replace('c74f20a3', 'C74F20A3')],
  ['a longer key with the id that fits it', 'PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY=='],
  ['an unknown type with the id that fits it', 'PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'],
  ['the same key as another type', peter.verifier.replace('+AR', '+BB')],
])('a verifier key with %s is refused', (_, text) => {
  expect(() => parseVerifierKey(text)).toThrow(TlogError);
});

test.each([
  ['the neutral element', `01${'00'.repeat(31)}`],
  ['a point of order 2', `ec${'ff'.repeat(30)}7f`],
  ['a point of order 4', '00'.repeat(32)],
  ['a point of order 8', 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'],
  ['a y that is not below the prime', `ee${'ff'.repeat(30)}7f`],
  ['a y of no point', `02${'00'.repeat(31)}`],
  ['31 bytes', '01'.repeat(31)],
])('a public key that is %s is refused', (_, publicKey) => {
  const key = { name: 'n', type: 'ed25519', publicKey: unhex(publicKey) } as const;
  expect(() => ed25519Verifier(key)).toThrow(TlogError);
  expect(() => formatVerifierKey(key)).toThrow(TlogError);
});

test('a key verifies only signatures of its type', () => {
  const plain = parseVerifierKey(peter.verifier);
  const witness = parseVerifierKey(keyNamed('witness.example/w1').verifier);
  expect(() => cosignatureVerifier(plain)).toThrow('not a key for cosignatures');
  expect(() => ed25519Verifier(witness)).toThrow('not a key for plain Ed25519 signatures');
});

test.each(['', 'a b', 'a+b', 'a\u00a0b', 'a\u0085b', 'a\u2003b', 'a\nb', 'a\0b', 'a\ud800b'])(
  'no key has the name %j',
  (name) => {
    const seed = new Uint8Array(32);
    expect(() => verifierKeyOf({ name, type: 'ed25519', seed })).toThrow(TlogError);
  },
);

import { createHmac } from 'node:crypto';
import { loadAddon } from '@countersign/native';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keyedHash, usableEach } from '../../../src/vault/integrity/keyed-hash.ts';
import { Secret } from '../../../src/vault/keys/secret.ts';

const keyOf = (bytes: Uint8Array) => new Secret(Uint8Array.from(bytes));
const hex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'));

describe('a keyed hash', () => {
  test.each([
    [
      '0b'.repeat(20),
      Buffer.from('Hi There').toString('hex'),
      'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
    ],
    [
      '4a656665',
      Buffer.from('what do ya want for nothing?').toString('hex'),
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    ],
    ['aa'.repeat(20), 'dd'.repeat(50), '773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe'],
    [
      '0102030405060708090a0b0c0d0e0f10111213141516171819',
      'cd'.repeat(50),
      '82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b',
    ],
  ])('gives the digest of RFC 4231, key %s', (key, data, digest) => {
    expect(
      keyedHash(keyOf(hex(key)))
        .digest(hex(data))
        .toString('hex'),
    ).toBe(digest);
  });

  test('gives what node:crypto gives, for texts of any characters and lengths, one after the other', () => {
    const key = Uint8Array.from({ length: 32 }, (_, at) => at * 7);
    const subject = keyedHash(keyOf(key));
    const expected = (data: string | Uint8Array) => createHmac('sha256', key).update(data).digest('hex');
    const data = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.uint8Array({ maxLength: 300 }),
      // Around the end of the buffer that is kept, with characters of one to three bytes.
      fc
        .tuple(fc.constantFrom('a', 'é', '€'), fc.integer({ min: 5_400, max: 16_500 }))
        .map(([unit, count]) => unit.repeat(count)),
    );
    fc.assert(
      fc.property(data, (one) => {
        expect(subject.digest(one).toString('hex')).toBe(expected(one));
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ['with the addon', undefined],
    ['without it', null],
  ])('gives the digests of many messages at once, %s', (_, each) => {
    const key = Uint8Array.from({ length: 32 }, (_byte, at) => at * 5);
    // An absent argument stands for the addon, where there is one.
    const subject = each === null ? keyedHash(keyOf(key), null) : keyedHash(keyOf(key));
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 }), (all) => {
        const lengths = Uint32Array.from(all, ({ length }) => length);
        const expected = all.map((one) => createHmac('sha256', key).update(one).digest('hex'));
        expect(subject.digestEach(Buffer.concat(all), lengths).toString('hex')).toBe(expected.join(''));
      }),
    );
    expect(() => subject.digestEach(Buffer.from('abc'), Uint32Array.of(2))).toThrow(TypeError);
    expect(() => subject.digestEach(Buffer.from('abc'), Uint32Array.of(2, 2))).toThrow(TypeError);
    subject.wipe();
    expect(() => subject.digestEach(Buffer.from('abc'), Uint32Array.of(3))).toThrow('wiped');
  });

  test('D181: an addon that gives wrong digests of many messages is not used', () => {
    expect(usableEach(undefined)).toBeNull();
    expect(usableEach(() => {})).toBeNull();
    const right = loadAddon(process.env).addon?.hmacSha256Each;
    expect(usableEach(right)).toBe(right ?? null);
  });

  test('keeps digests that it gave', () => {
    const subject = keyedHash(keyOf(new Uint8Array(32)));
    const first = subject.digest('one');
    const text = first.toString('hex');
    subject.digest('two');
    expect(first.toString('hex')).toBe(text);
  });

  test('throws once it is wiped, and wipes the key', () => {
    const key = keyOf(new Uint8Array(32).fill(9));
    const { bytes } = key;
    const subject = keyedHash(key);
    subject.wipe();
    expect(() => subject.digest('x')).toThrow('wiped');
    expect(bytes).toEqual(new Uint8Array(32));
  });

  test('rejects a key longer than a block', () => {
    expect(() => keyedHash(keyOf(new Uint8Array(65)))).toThrow('longer than a SHA-256 block');
  });
});

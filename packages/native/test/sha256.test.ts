import { createHmac, hash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addon, present } from './addon.ts';

function digestOf(data: Uint8Array): string {
  const digest = new Uint8Array(32);
  present().sha256(data, digest);
  return Buffer.from(digest).toString('hex');
}

describe.skipIf(addon === undefined)('SHA-256', () => {
  test('gives what node:crypto gives, for every length around its blocks and for long texts', () => {
    const data = randomBytes(100_000);
    for (let length = 0; length < 400; length++) {
      const part = data.subarray(length, 2 * length);
      expect(digestOf(part)).toBe(hash('sha256', part));
    }
    expect(digestOf(data)).toBe(hash('sha256', data));
    expect(digestOf(Uint8Array.from(data.subarray(7, 8_000)))).toBe(hash('sha256', data.subarray(7, 8_000)));
  });

  test('writes into a part of a larger array, and no byte beside it', () => {
    const array = new Uint8Array(96).fill(7);
    present().sha256(Buffer.from('abc'), array.subarray(32, 64));
    // FIPS 180-4, example 1 of SHA-256.
    expect(Buffer.from(array.subarray(32, 64)).toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
    for (const beside of [array.subarray(0, 32), array.subarray(64)]) expect([...new Set(beside)]).toEqual([7]);
  });

  test('D150: refuses anything but bytes, and a place of another length', () => {
    const { sha256 } = present();
    const digest = new Uint8Array(32);
    for (const wrong of ['text', new Uint16Array(4), new ArrayBuffer(8), [1], null, undefined])
      expect(() => sha256(wrong as never, digest)).toThrow(TypeError);
    for (const wrong of [new Uint8Array(31), new Uint8Array(33), new Uint16Array(16), null])
      expect(() => sha256(new Uint8Array(1), wrong as never)).toThrow(TypeError);
    expect(() => (sha256 as (data: Uint8Array) => void)(digest)).toThrow(TypeError);
  });
});

/** The keys of HMAC-SHA-256, padded as RFC 2104 says. */
function padded(key: Uint8Array): readonly [Uint8Array, Uint8Array] {
  const block = Uint8Array.from({ length: 64 }, (_, at) => key[at] ?? 0);
  return [block.map((byte) => byte ^ 0x36), block.map((byte) => byte ^ 0x5c)];
}

const bytesOf = (lengths: readonly number[]) => new Uint8Array(Uint32Array.from(lengths).buffer);

describe.skipIf(addon === undefined)('HMAC-SHA-256 of many messages', () => {
  test('gives what node:crypto gives for each of them, whatever their lengths', () => {
    const message = fc.uint8Array({ maxLength: 200 });
    const messages = fc.array(fc.oneof(message, fc.constant(new Uint8Array(0)), fc.constant(new Uint8Array(5_000).fill(9))));
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), messages, (key, all) => {
        const digests = new Uint8Array(all.length * 32);
        const lengths = bytesOf(all.map(({ length }) => length));
        present().hmacSha256Each(...padded(key), Buffer.concat(all), lengths, digests);
        const expected = all.map((each) => createHmac('sha256', key).update(each).digest());
        expect(Buffer.from(digests).equals(Buffer.concat(expected))).toBe(true);
      }),
    );
  });

  test('reads lengths at any address, and writes no byte beside the digests', () => {
    const [inner, outer] = padded(new Uint8Array(32).fill(3));
    const lengths = new Uint8Array(9);
    lengths.set(bytesOf([2, 1]), 1);
    const array = new Uint8Array(128).fill(7);
    present().hmacSha256Each(inner, outer, Buffer.from('abc'), lengths.subarray(1), array.subarray(32, 96));
    const expected = ['ab', 'c'].map((text) => createHmac('sha256', new Uint8Array(32).fill(3)).update(text).digest());
    expect(Buffer.from(array.subarray(32, 96)).equals(Buffer.concat(expected))).toBe(true);
    for (const beside of [array.subarray(0, 32), array.subarray(96)]) expect([...new Set(beside)]).toEqual([7]);
  });

  test('D150: refuses lengths that are not those of the messages, and places of another length', () => {
    const { hmacSha256Each } = present();
    const [inner, outer] = padded(new Uint8Array(32));
    const three = Buffer.from('abc');
    const digests = new Uint8Array(64);
    for (const lengths of [[2, 2], [1, 1], [3], [0xffff_ffff, 4], [4, 0xffff_ffff]])
      expect(() => hmacSha256Each(inner, outer, three, bytesOf(lengths), digests)).toThrow(TypeError);
    expect(() => hmacSha256Each(inner, outer, three, bytesOf([2, 1]).subarray(1), digests)).toThrow(TypeError);
    for (const wrong of [new Uint8Array(63), new Uint8Array(65), 'text', null]) {
      expect(() => hmacSha256Each(wrong as never, outer, three, bytesOf([2, 1]), digests)).toThrow(TypeError);
      expect(() => hmacSha256Each(inner, wrong as never, three, bytesOf([2, 1]), digests)).toThrow(TypeError);
      expect(() => hmacSha256Each(inner, outer, three, bytesOf([2, 1]), wrong as never)).toThrow(TypeError);
    }
    hmacSha256Each(inner, outer, new Uint8Array(0), bytesOf([]), new Uint8Array(0));
  });
});

import { keccak_256 } from '@noble/hashes/sha3.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addon, present } from './addon.ts';

function digestOf(data: Uint8Array): string {
  const digest = new Uint8Array(32);
  present().keccak256(data, digest);
  return Buffer.from(digest).toString('hex');
}

const expected = (data: Uint8Array) => Buffer.from(keccak_256(data)).toString('hex');

describe.skipIf(addon === undefined)('Keccak-256', () => {
  test('has the published digest of nothing', () => {
    // Yellow Paper of Ethereum: the hash of the empty string, which is the code hash of accounts without code.
    expect(digestOf(new Uint8Array())).toBe('c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470');
  });

  test('gives what @noble/hashes gives, for every length around its blocks and for any bytes', () => {
    const data = Uint8Array.from({ length: 1_000 }, (_, at) => (at * 167) & 0xff);
    for (let length = 0; length < 420; length++) {
      const part = data.subarray(length, 2 * length);
      expect(digestOf(part)).toBe(expected(part));
    }
    fc.assert(fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => digestOf(bytes) === expected(bytes)));
    const long = new Uint8Array(100_001).fill(0xa7);
    expect(digestOf(long)).toBe(expected(long));
  });

  test('writes into a part of a larger array, and no byte beside it', () => {
    const array = new Uint8Array(96).fill(7);
    present().keccak256(Buffer.from('abc'), array.subarray(32, 64));
    expect(Buffer.from(array.subarray(32, 64)).toString('hex')).toBe(expected(Buffer.from('abc')));
    for (const beside of [array.subarray(0, 32), array.subarray(64)]) expect([...new Set(beside)]).toEqual([7]);
  });

  test('D150: refuses anything but bytes, and a place of another length', () => {
    const { keccak256 } = present();
    const digest = new Uint8Array(32);
    for (const wrong of ['text', new Uint16Array(4), new ArrayBuffer(8), [1], null, undefined])
      expect(() => keccak256(wrong as never, digest)).toThrow(TypeError);
    for (const wrong of [new Uint8Array(31), new Uint8Array(33), new Uint16Array(16), null])
      expect(() => keccak256(new Uint8Array(1), wrong as never)).toThrow(TypeError);
    expect(() => (keccak256 as (data: Uint8Array) => void)(digest)).toThrow(TypeError);
  });
});

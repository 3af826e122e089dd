import { hash, randomBytes } from 'node:crypto';
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

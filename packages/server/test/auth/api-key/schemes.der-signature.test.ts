import { generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { groupOrders, readDerSignature } from '../../../src/auth/api-key/schemes.ts';

const read = (hex: string) => readDerSignature(Buffer.from(hex, 'hex'), groupOrders.P256);

describe('D07: DER signatures', () => {
  test('signatures written by OpenSSL are read as the same numbers', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    fc.assert(
      fc.property(fc.uint8Array(), (message) => {
        const der = sign('sha256', message, privateKey);
        const compact = readDerSignature(der, groupOrders.P256);
        expect(compact).toHaveLength(64);
        expect(toDer(compact as Uint8Array)).toEqual(der);
      }),
    );
  });

  test('small numbers', () => {
    expect(read('3006020101020102')).toEqual(Buffer.from([...new Array(31).fill(0), 1, ...new Array(31).fill(0), 2]));
    expect(read('300702020080020101')).toBeDefined();
  });

  test('the range ends before the order', () => {
    const order = groupOrders.P256.toString('hex');
    const last = `${order.slice(0, -1)}0`;
    expect(read(`3026022100${last}020101`)).toBeDefined();
    expect(read(`3026022100${order}020101`)).toBeUndefined();
    expect(read(`3026020101022100${order}`)).toBeUndefined();
  });

  test('accepted bytes are the only encoding of their value', () => {
    const content = fc.array(fc.constantFrom(0x00, 0x01, 0x7f, 0x80, 0xff), { maxLength: 3 });
    const tail = fc.array(fc.constantFrom(0x00, 0x02), { maxLength: 1 });
    fc.assert(
      fc.property(content, content, tail, fc.constantFrom(0, 0, 0, 1, -1), (r, s, after, slip) => {
        const bytes = [0x02, r.length, ...r, 0x02, s.length + slip, ...s, ...after];
        const der = Buffer.from([0x30, bytes.length, ...bytes]);
        const compact = readDerSignature(der, groupOrders.SECP256K1);
        if (compact !== undefined) expect(toDer(compact)).toEqual(der);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    ['a negative r', '3006020180020101'],
    ['a negative s', '30060201010201ff'],
    ['r of zero', '3006020100020101'],
    ['s of zero', '3006020101020100'],
    ['a padded r', '300702020001020101'],
    ['an empty s', '30050201010200'],
    ['r of 33 bytes', `3026022101${'00'.repeat(32)}020101`],
    ['a long-form length', '308106020101020101'],
    ['a long body with a length to fit', `3082${'00'.repeat(0x82)}`],
    ['another tag', '3106020101020101'],
    ['another tag of r', '3006030101020101'],
    ['a byte after s', '300702010102010100'],
    ['a byte after the sequence', '300602010102010100'],
  ])('%s is refused', (_, hex) => {
    expect(read(hex)).toBeUndefined();
  });

  test('empty and very short input', () => {
    for (const hex of ['', '30', '3000', '300202', '3003020101', '300402010102', '30050201010201'])
      expect(read(hex)).toBeUndefined();
  });
});

/** Writes r and s as X.690 requires, unlike the reader through big integers. */
function toDer(compact: Uint8Array): Buffer {
  const integers = [compact.subarray(0, 32), compact.subarray(32)].map((bytes) => {
    const hex = BigInt(`0x${Buffer.from(bytes).toString('hex')}`).toString(16);
    const even = hex.length % 2 === 0 ? hex : `0${hex}`;
    const content = Buffer.from(Number.parseInt(even.slice(0, 2), 16) >= 0x80 ? `00${even}` : even, 'hex');
    return Buffer.concat([Buffer.of(0x02, content.length), content]);
  });
  const content = Buffer.concat(integers);
  return Buffer.concat([Buffer.of(0x30, content.length), content]);
}

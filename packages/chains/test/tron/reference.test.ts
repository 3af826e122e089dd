import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { NO_TRON_REFERENCE, tronReferenceOf, withTronReference } from '../../src/tron/reference.ts';

interface Vector {
  readonly name: string;
  readonly unsignedTransaction: string;
  readonly expected: { readonly ref_block_bytes: string; readonly ref_block_hash: string; readonly expiration: string };
}

const file = new URL('../../../../conformance/transactions/tron.json', import.meta.url);
const { transactions } = JSON.parse(readFileSync(file, 'utf8')) as { transactions: readonly Vector[] };

describe.each(transactions)('$name', ({ unsignedTransaction, expected }) => {
  const reference = {
    refBlockBytes: expected.ref_block_bytes,
    refBlockHash: expected.ref_block_hash,
    expiration: expected.expiration,
  };

  test('its reference is read', () => {
    expect(tronReferenceOf(unsignedTransaction)).toEqual(reference);
    expect(withTronReference(unsignedTransaction, reference)).toBe(unsignedTransaction);
  });

  test('another reference, or another expiration, does not replace it', () => {
    for (const other of [{ refBlockBytes: 'ffff' }, { refBlockHash: 'ff'.repeat(8) }, { expiration: '1' }])
      expect(() => withTronReference(unsignedTransaction, { ...reference, ...other })).toThrow('another reference');
  });

  test('an absent one is filled in, and nothing else changes', () => {
    const tag = `0a02${expected.ref_block_bytes}2208${expected.ref_block_hash}`;
    expect(unsignedTransaction.startsWith(tag)).toBe(true);
    const absent = unsignedTransaction.replace(tag, `0a0200002208${NO_TRON_REFERENCE.refBlockHash}`);
    expect(tronReferenceOf(absent)).toBeUndefined();
    expect(withTronReference(absent, reference)).toBe(unsignedTransaction);
  });
});

test('a transaction without the fields is refused', () => {
  expect(() => tronReferenceOf('0a020000')).toThrow('needs a reference block');
  expect(() => tronReferenceOf('0b')).toThrow('unknown form');
  expect(() => tronReferenceOf('xx')).toThrow('not hexadecimal');
});

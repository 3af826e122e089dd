import { bytesToHex } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { transaction } from './arbitrary-transaction.ts';
import { oracleView } from './oracle.ts';
import { parse, vectors } from './support.ts';

function compare(hex: string): void {
  const { wire } = parse(hex);
  const { message } = wire;
  const oracle = oracleView(wire.bytes);
  expect(wire.messageBytes).toEqual(oracle.messageBytes);
  expect(oracle.reencoded).toEqual(oracle.messageBytes);
  expect(message.accountKeys).toEqual(oracle.accountKeys);
  expect(message.recentBlockhash).toBe(oracle.recentBlockhash);
  expect(message.requiredSignatures).toBe(oracle.requiredSignatures);
  expect(
    message.instructions.map(({ programKey, accounts, data }) => ({
      program: programKey,
      accountCount: accounts.length,
      data: new Uint8Array(data),
    })),
  ).toEqual(oracle.instructions);
  expect(
    message.lookups.map(({ tableKey, writableIndexes, readonlyIndexes }) => ({
      table: tableKey,
      writable: writableIndexes,
      readonly: readonlyIndexes,
    })),
  ).toEqual(oracle.lookups);
}

describe('@solana/kit reads the same', () => {
  test.each(vectors.transactions)('$name', ({ unsignedTransaction }) => compare(unsignedTransaction));

  test('from any well-formed transaction', () => {
    fc.assert(fc.property(transaction, (bytes) => compare(bytesToHex(bytes))));
  });
});

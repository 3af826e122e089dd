import { readFileSync } from 'node:fs';
import { base58 } from '@scure/base';
import { describe, expect, test } from 'vitest';
import { blockhashOf, signedMessage, withBlockhash } from '../../src/solana/blockhash.ts';
import { parseWireTransaction } from '../../src/solana/wire-transaction.ts';

interface Vector {
  readonly name: string;
  readonly unsignedTransaction: string;
}

const file = new URL('../../../../conformance/transactions/solana.json', import.meta.url);
const { transactions } = JSON.parse(readFileSync(file, 'utf8')) as { transactions: readonly Vector[] };
const OTHER = base58.encode(new Uint8Array(32).fill(9));

const wireOf = (hex: string) => parseWireTransaction(Buffer.from(hex, 'hex'));
const isUnsigned = ({ unsignedTransaction }: Vector) => {
  const { bytes, slotsOffset, message } = wireOf(unsignedTransaction);
  return bytes.subarray(slotsOffset, slotsOffset + 64 * message.requiredSignatures).every((byte) => byte === 0);
};
const isDurable = ({ unsignedTransaction }: Vector) => {
  const [first] = wireOf(unsignedTransaction).message.instructions;
  return first?.programKey === '1'.repeat(32) && first.data[0] === 4;
};
const plain = transactions.filter((vector) => isUnsigned(vector) && !isDurable(vector));

describe.each(plain)('$name', ({ unsignedTransaction }) => {
  const { recentBlockhash } = wireOf(unsignedTransaction).message;
  const zeros = '00'.repeat(32);
  const bytes = Buffer.from(base58.decode(recentBlockhash)).toString('hex');

  test('its blockhash stays, and an absent one is filled in without another change', () => {
    expect(withBlockhash(unsignedTransaction, recentBlockhash)).toBe(unsignedTransaction);
    expect(unsignedTransaction.endsWith(signedMessage(unsignedTransaction))).toBe(true);
    if (bytes === zeros) return;
    expect(blockhashOf(unsignedTransaction)).toBe(recentBlockhash);
    expect(() => withBlockhash(unsignedTransaction, OTHER)).toThrow('it has the blockhash');
    const absent = unsignedTransaction.replace(bytes, zeros);
    expect(blockhashOf(absent)).toBeUndefined();
    expect(withBlockhash(absent, recentBlockhash)).toBe(unsignedTransaction);
    expect(() => withBlockhash(absent, 'abc')).toThrow('does not have 32 bytes');
  });
});

test('there are transactions to try', () => {
  expect(plain.length).toBeGreaterThan(3);
});

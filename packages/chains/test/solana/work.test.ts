import { describe, expect, test } from 'vitest';
import { newRequestBounds } from '../../src/parse-bounds.ts';
import { solanaTransaction } from '../../src/solana/index.ts';
import { associatedTokenAccounts } from '../../src/solana/token-account.ts';
import type { ContractInterface } from '../../src/transaction.ts';
import { buildTransaction, key } from './message-builder.ts';
import { type Json, signer } from './support.ts';

const program = key(9);
const bounds = newRequestBounds;

const stored = (args: Json, types: Json = []): ContractInterface => ({
  kind: 'solana',
  address: program,
  json: JSON.stringify({ instructions: [{ name: 'f', discriminator: [7], accounts: [], args }], types }),
});

const calls = (count: number, data: readonly number[] = []) =>
  buildTransaction({
    otherKeys: [key(1), program],
    instructions: Array.from({ length: count }, () => ({ program: 2, data: [7, ...data] })),
  });

/** A list of 2,000 values for each instruction, which takes no byte. */
const empty = stored(
  [{ name: 'list', type: { array: [{ defined: 'Nothing' }, 2_000] } }],
  [{ name: 'Nothing', type: { kind: 'struct', fields: [] } }],
);

describe('the work of decoding instructions', () => {
  test('D357: values without content are refused over all instructions, and soon', () => {
    const run = () => solanaTransaction.parse(calls(250), { signer, interfaces: [empty], bounds });
    expect(run).toThrow('the interfaces decode the transaction to more than 4096 values');
    // Two instructions are within the bound, and the third finds that they were the last.
    expect(solanaTransaction.parse(calls(3), { signer, interfaces: [empty], bounds }).effects).toHaveLength(4);
    expect(() => solanaTransaction.parse(calls(4), { signer, interfaces: [empty], bounds })).toThrow('more than 4096 values');
  });

  test('a transaction full of values with content is read', () => {
    const bytes = stored([{ name: 'list', type: { array: ['u8', 250] } }]);
    const unsigned = calls(4, Array(250).fill(3));
    const { effects, unparsed } = solanaTransaction.parse(unsigned, { signer, interfaces: [bytes], bounds });
    expect(effects.filter(({ kind }) => kind === 'CALL')).toHaveLength(4);
    expect(unparsed).toEqual([]);
  });

  test('D357: the token accounts of a wallet are derived once for all transfers of a mint', () => {
    const accounts = associatedTokenAccounts(key(1), key(2));
    expect(associatedTokenAccounts(key(1), key(2))).toBe(accounts);
    expect(associatedTokenAccounts(key(1), key(3))).not.toEqual(accounts);
    expect(associatedTokenAccounts(key(2), key(1))).not.toEqual(accounts);
  });

  test('a stored transaction is read without the bound, as it was when it was accepted', () => {
    const { effects } = solanaTransaction.parse(calls(10), { signer, interfaces: [empty] });
    expect(effects.filter(({ kind }) => kind === 'CALL')).toHaveLength(10);
  });
});

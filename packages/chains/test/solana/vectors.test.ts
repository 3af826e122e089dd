import { ed25519 } from '@noble/curves/ed25519.js';
import { hexToBytes } from '@noble/hashes/utils.js';
import { describe, expect, test } from 'vitest';
import { type Json, parse, sign, signer, toJson, vectors } from './support.ts';

type Fields = { readonly [key: string]: Json };

describe('transactions made by web3.js and spl-token', () => {
  test.each(vectors.transactions)('$name: what policy sees', ({ unsignedTransaction, expected }) => {
    const parsed = parse(unsignedTransaction);
    const policy = toJson(parsed.policy) as Fields;
    const { fullyParsed, description, instructions, ...fields } = expected;
    expect(parsed.fullyParsed).toBe(fullyParsed);
    expect(parsed.unparsed.length > 0).toBe(!fullyParsed);
    if (description !== undefined) expect(parsed.description).toBe(description);
    for (const [name, value] of Object.entries(fields)) expect({ [name]: policy[name] ?? null }).toEqual({ [name]: value });
    if (instructions !== undefined) expect((policy.instructions as readonly Fields[]).map(summary)).toEqual(instructions);
  });

  test.each(vectors.transactions)('$name: the signed transaction is the same', ({ unsignedTransaction, signedTransaction }) => {
    expect(sign(parse(unsignedTransaction))).toBe(signedTransaction);
  });

  test('what is signed is the message of the transaction, byte for byte', () => {
    for (const { unsignedTransaction, signedTransaction } of vectors.transactions) {
      const { wire, slot } = parse(unsignedTransaction);
      const signed = hexToBytes(signedTransaction);
      const signature = signed.subarray(1 + 64 * slot, 65 + 64 * slot);
      expect(ed25519.verify(signature, wire.messageBytes, signer.publicKey)).toBe(true);
      expect(signed.subarray(signed.length - wire.messageBytes.length)).toEqual(wire.messageBytes);
    }
  });

  test('amounts are integers, never text or floating point', () => {
    const { policy } = parse(vectors.transactions[0]?.unsignedTransaction as string);
    expect(policy.transfers).toEqual([expect.objectContaining({ amount: 500000000n })]);
  });
});

function summary(instruction: Fields): Fields {
  const parsed = instruction.parsed_instruction_data as Fields;
  expect((instruction.instruction_data_hex as string).startsWith(parsed.discriminator as string)).toBe(true);
  return {
    program_key: instruction.program_key as Json,
    instruction_data_hex: instruction.instruction_data_hex as Json,
    accounts: (instruction.accounts as readonly Fields[]).map((account) => account.account_key as Json),
    instruction_name: parsed.instruction_name as Json,
    program_call_args: parsed.program_call_args as Json,
    named_accounts: parsed.named_accounts as Json,
  };
}

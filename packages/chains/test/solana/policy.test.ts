import type { PolicyValue } from '@countersign/policy';
import { describe, expect, test } from 'vitest';
import { buildTransaction, COMPUTE_BUDGET, key, type RawInstruction, SYSTEM, TOKEN, TOKEN_2022, u64 } from './message-builder.ts';
import { parse, vector } from './support.ts';

const me = 'EBwz6QhoMNCS2ow3GtqRizbA9HLCsnHy8qtptAMxtPX';
const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
const UNKNOWN = key(77);
/** Accounts 1 to 5 are nobody's; programs are 6 to 11. */
const otherKeys = [key(1), key(2), key(3), key(4), key(5), SYSTEM, TOKEN, TOKEN_2022, COMPUTE_BUDGET, MEMO, UNKNOWN];
const [system, token, token2022, budget, memo, unknown] = [6, 7, 8, 9, 10, 11];

const toA: RawInstruction = { program: system, accounts: [0, 1], data: [2, 0, 0, 0, ...u64(5n)] };
const toB: RawInstruction = { program: system, accounts: [0, 2], data: [2, 0, 0, 0, ...u64(6n)] };

function read(...instructions: readonly RawInstruction[]) {
  return parse(buildTransaction({ header: [1, 0, 6], otherKeys, instructions }));
}

type Transfer = { readonly to: string };
const recipients = (value: PolicyValue | undefined) => (value as unknown as readonly Transfer[] | undefined)?.map(({ to }) => to);

describe('D38: a policy over transfers', () => {
  test('sees every transfer, not the first only', () => {
    const { policy, fullyParsed } = read(toA, toB, toA);
    expect(recipients(policy.transfers)).toEqual([key(1), key(2), key(1)]);
    expect(policy.spl_transfers).toEqual([]);
    expect(fullyParsed).toBe(true);
  });

  const harmless: readonly (readonly [string, RawInstruction])[] = [
    ['a compute limit', { program: budget, data: [2, 1, 0, 0, 0] }],
    ['a limit of loaded data', { program: budget, data: [4, 1, 0, 0, 0] }],
    ['a memo', { program: memo, data: [104, 105] }],
    ['a wrapped balance brought up to date', { program: token, accounts: [1], data: [17] }],
  ];
  test.each(harmless)('still holds next to %s', (_, instruction) => {
    const { policy, fullyParsed } = read(instruction, toA);
    expect(recipients(policy.transfers)).toEqual([key(1)]);
    expect(fullyParsed).toBe(true);
  });

  const other: readonly (readonly [string, string, RawInstruction])[] = [
    ['ApproveChecked', 'approveChecked', { program: token, accounts: [1, 2, 3, 0], data: [13, ...u64(1n), 6] }],
    ['SetAuthority', 'setAuthority', { program: token, accounts: [1, 0], data: [6, 2, 0] }],
    ['CloseAccount', 'closeAccount', { program: token2022, accounts: [1, 2, 0], data: [9] }],
    ['Burn', 'burn', { program: token, accounts: [1, 2, 0], data: [8, ...u64(1n)] }],
    ['Assign', 'assign', { program: system, accounts: [0], data: [1, 0, 0, 0, ...new Array(32).fill(1)] }],
    ['AdvanceNonce', 'advanceNonceAccount', { program: system, accounts: [1, 2, 0], data: [4, 0, 0, 0] }],
    ['UpgradeNonce', 'upgradeNonceAccount', { program: system, accounts: [1], data: [12, 0, 0, 0] }],
    ['WithdrawNonce', 'withdrawNonceAccount', { program: system, accounts: [1, 2, 3, 4, 0], data: [5, 0, 0, 0, ...u64(1n)] }],
    [
      'CreateAccount',
      'createAccount',
      { program: system, accounts: [0, 1], data: [0, 0, 0, 0, ...u64(1n), ...u64(1n), ...new Array(32).fill(1)] },
    ],
  ];
  test.each(other)('is an error, not vacuously true, next to %s', (_, name, instruction) => {
    for (const instructions of [[instruction], [instruction, toA], [toA, instruction]]) {
      const { policy, fullyParsed } = read(...instructions);
      expect(policy).not.toHaveProperty('transfers');
      expect(policy).not.toHaveProperty('spl_transfers');
      expect(fullyParsed).toBe(true);
      expect(policy.instructions).toContainEqual(
        expect.objectContaining({ parsed_instruction_data: expect.objectContaining({ instruction_name: name }) }),
      );
    }
  });

  const notUnderstood: readonly (readonly [string, RawInstruction, RegExp])[] = [
    ['an unknown program', { program: unknown, accounts: [0], data: [1] }, /instruction 2: no interface is stored for program/],
    [
      'an unknown Token instruction',
      { program: token, accounts: [0], data: [255, 3] },
      /instruction 2: the Token program has no known instruction/,
    ],
    [
      'an unknown System instruction',
      { program: system, accounts: [0], data: [99, 0, 0, 0] },
      /instruction 2: the System program/,
    ],
    [
      'a System instruction of three bytes',
      { program: system, accounts: [0], data: [2, 0, 0] },
      /instruction 2: the System program/,
    ],
    ['a Token instruction without data', { program: token, accounts: [0], data: [] }, /instruction 2: the Token program/],
  ];
  test.each(notUnderstood)('is an error next to %s, which is told as not understood', (_, instruction, reason) => {
    const { policy, fullyParsed, unparsed, description } = read(toA, instruction);
    expect(policy).not.toHaveProperty('transfers');
    expect(fullyParsed).toBe(false);
    expect(unparsed).toEqual([expect.stringMatching(reason)]);
    expect(description).toContain('bytes not understood: treat as dangerous');
    expect((policy.instructions as readonly PolicyValue[])[1]).not.toHaveProperty('parsed_instruction_data');
  });

  test('sees which accounts sign and which are written, also those of others', () => {
    const unsigned = buildTransaction({ header: [2, 0, 1], instructions: [toA].map((raw) => ({ ...raw, program: 2 })) });
    const { policy } = parse(unsigned);
    expect(policy.instructions).toEqual([
      expect.objectContaining({
        accounts: [
          { account_key: me, signer: true, writable: true },
          { account_key: key(1), signer: true, writable: true },
        ],
      }),
    ]);
  });

  test('only signers count as the members of a multisig', () => {
    const unsigned = buildTransaction({
      header: [2, 1, 1],
      otherKeys: [key(1), key(2), key(3), key(4), TOKEN],
      instructions: [{ program: 5, accounts: [2, 3, 4, 1, 3, 0], data: [3, ...u64(9n)] }],
    });
    expect(parse(unsigned).policy.spl_transfers).toEqual([
      { from: key(2), to: key(3), amount: 9n, owner: key(4), signers: [key(1), me], token_mint: '' },
    ]);
  });
});

describe('D39: accounts from lookup tables', () => {
  const { policy, fullyParsed, unparsed, description } = parse(
    vector('version 0 message with an address lookup table').unsignedTransaction,
  );

  test('are absent wherever they would appear, and the transaction counts as not fully parsed', () => {
    expect(policy.transfers).toEqual([{ from: me, amount: 5n }]);
    expect(policy.spl_transfers).toEqual([
      { from: '23bwftGa66SEMcrLUExU1gstNFzfBc8EqKr4SfeEdmh6', owner: me, amount: 9n, signers: [] },
    ]);
    expect(fullyParsed).toBe(false);
    expect(unparsed).toEqual([expect.stringContaining('address lookup tables')]);
    expect(description).toContain('hidden in lookup tables');
  });

  test('leave no list of account keys, which would look complete; the fee payer is still told', () => {
    expect(policy).not.toHaveProperty('account_keys');
    expect(policy.fee_payer).toBe(me);
    expect(policy.address_table_lookups).toHaveLength(1);
  });

  test('are told for each instruction with their table and index', () => {
    const [first, second] = policy.instructions as readonly { readonly [field: string]: PolicyValue }[];
    const table = (policy.address_table_lookups as readonly { readonly address_table_key: string }[])[0]?.address_table_key;
    expect(first?.address_table_lookups).toEqual([{ address_table_key: table, writable_indexes: [1n], readonly_indexes: [] }]);
    expect(second?.address_table_lookups).toEqual([{ address_table_key: table, writable_indexes: [3n], readonly_indexes: [4n] }]);
    expect(first?.accounts).toEqual([
      { account_key: me, signer: true, writable: true },
      { signer: false, writable: true },
    ]);
  });

  test('several tables: all writable accounts come before all read-only ones', () => {
    const unsigned = buildTransaction({
      version: 0x80,
      otherKeys: [SYSTEM],
      lookups: [
        { table: key(8), writable: [7], readonly: [1] },
        { table: key(9), writable: [8], readonly: [2] },
      ],
      instructions: [
        { program: 1, accounts: [2, 3], data: [2, 0, 0, 0, ...u64(1n)] },
        { program: 1, accounts: [4, 5], data: [2, 0, 0, 0, ...u64(1n)] },
      ],
    });
    const [first, second] = parse(unsigned).policy.instructions as readonly { readonly [field: string]: PolicyValue }[];
    expect(first?.address_table_lookups).toEqual([
      { address_table_key: key(8), writable_indexes: [7n], readonly_indexes: [] },
      { address_table_key: key(9), writable_indexes: [8n], readonly_indexes: [] },
    ]);
    expect(second?.address_table_lookups).toEqual([
      { address_table_key: key(8), writable_indexes: [], readonly_indexes: [1n] },
      { address_table_key: key(9), writable_indexes: [], readonly_indexes: [2n] },
    ]);
  });
});

describe('descriptions', () => {
  test('a memo cannot reorder or break the text around it', () => {
    const text = new TextEncoder().encode('pay "me"\n\u202eevil\u0000');
    expect(read(toA, { program: memo, data: text }).description).toBe(
      `send 0.000000005 SOL to ${key(1)}, call memo "pay \\"me\\"\\n\\u{202e}evil\\u0000" on ${MEMO} on Solana, network fee at most 0.000005 SOL`,
    );
  });

  test('an unlimited compute price is told as what it may cost', () => {
    const { description } = read(toA, { program: budget, data: [3, ...u64(2n ** 64n - 1n)] });
    // (200,000 + 3,000) units at 18,446,744,073,709,551,615 micro-lamports, and one signature.
    expect(description).toContain('network fee at most 3,744,689,046.963043978 SOL');
  });
});

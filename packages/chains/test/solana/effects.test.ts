import { bytesToHex } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { solanaTransaction } from '../../src/solana/index.ts';
import { NEW_OWNER, transaction } from './arbitrary-transaction.ts';
import { buildTransaction, key, SYSTEM, TOKEN, TOKEN_2022, u64 } from './message-builder.ts';
import {
  ASSOCIATED,
  bytesOf,
  CLOCK,
  effectsOf,
  me,
  type ProgramCall,
  RENT,
  readCalls,
  STAKE,
  text,
  u32,
} from './program-calls.ts';
import { parse, signer, vector } from './support.ts';

const SOL = { id: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/slip44:501', kind: 'COIN', symbol: 'SOL', decimals: 9 };
const [a, b, c, d] = [key(1), key(2), key(3), key(4)];
const system = (tag: number, accounts: readonly string[], ...data: readonly number[]): ProgramCall => ({
  program: SYSTEM,
  accounts,
  data: [...u32(tag), ...data],
});
const stake = (tag: number, accounts: readonly string[], ...data: readonly number[]): ProgramCall => ({
  program: STAKE,
  accounts,
  data: [...u32(tag), ...data],
});

describe('D75: what a Solana transaction pays for others', () => {
  test('a new account and who holds it', () => {
    const owner = bytesOf(d);
    const created = { kind: 'CREATE', what: 'ACCOUNT', asset: SOL, amount: 7n, from: me, to: a, owner: d };
    expect(effectsOf([system(0, [me, a], ...u64(7n), ...u64(1n), ...owner)])).toEqual([created]);
    const seeded = system(3, [me, a], ...bytesOf(me), ...text('seed'), ...u64(7n), ...u64(1n), ...owner);
    expect(effectsOf([seeded])).toEqual([created]);
  });

  test('the own key as a new account of a program is a loss of control', () => {
    expect(effectsOf([system(0, [a, me], ...u64(7n), ...u64(1n), ...bytesOf(d))])).toEqual([
      { kind: 'CREATE', what: 'ACCOUNT', asset: SOL, amount: 7n, from: a, to: me, owner: d },
      { kind: 'AUTHORITY', what: 'hand it over to program', from: me, to: d },
    ]);
  });

  const associated = (tag: readonly number[], program: string, funding = me): ProgramCall => ({
    program: ASSOCIATED,
    accounts: [funding, a, b, c, SYSTEM, program],
    data: tag,
  });

  test.each([
    ['without a tag', []],
    ['create', [0]],
    ['createIdempotent', [1]],
  ])('the rent of a token account: %s', (_, tag) => {
    expect(effectsOf([associated(tag, TOKEN)])).toEqual([
      { kind: 'CREATE', what: 'ACCOUNT', asset: SOL, amount: 2_039_280n, from: me, to: a, owner: b },
    ]);
    // Token-2022 accounts have more bytes, by the extensions of the mint.
    expect(effectsOf([associated(tag, TOKEN_2022)])).toMatchObject([{ amount: 4_872_000n }]);
  });

  test('rent that another pays is told as theirs', () => {
    expect(readCalls([associated([1], TOKEN, d)]).description).toContain(`for 0.00203928 SOL paid by ${d}`);
  });

  test('an unknown token program is not understood', () => {
    expect(readCalls([associated([1], d)])).toMatchObject({
      fullyParsed: false,
      unparsed: [`instruction 1: the token program ${d} is not known`],
    });
  });

  test('tokens that a wallet gets are told with the wallet, where the same transaction proves it', () => {
    const pay: ProgramCall = { program: TOKEN, accounts: [d, c, a, me], data: [12, ...u64(5n), 0] };
    expect(effectsOf([associated([1], TOKEN), pay])[1]).toMatchObject({ kind: 'TRANSFER', to: a, owner: b });
    expect(readCalls([associated([1], TOKEN), pay]).description).toContain(`to ${a} (held by ${b})`);
    expect(effectsOf([pay])[0]).not.toHaveProperty('owner');
    const handedOn: ProgramCall = { program: TOKEN, accounts: [a, b], data: [6, 2, 1, ...bytesOf(d)] };
    expect(effectsOf([associated([1], TOKEN), handedOn, pay])[2]).not.toHaveProperty('owner');
    expect(effectsOf([associated([1], TOKEN), { program: key(99), accounts: [a] }, pay])[2]).not.toHaveProperty('owner');
  });
});

describe('System instructions', () => {
  test.each([
    ['assign', system(1, [me], ...bytesOf(d)), { kind: 'AUTHORITY', what: 'hand it over to program', from: me, to: d }],
    ['transfer', system(2, [me, a], ...u64(9n)), { kind: 'TRANSFER', asset: SOL, from: me, to: a, amount: 9n }],
    [
      'transferWithSeed',
      system(11, [a, me, b], ...u64(9n), ...text('x'), ...bytesOf(SYSTEM)),
      { kind: 'TRANSFER', asset: SOL, from: a, to: b, amount: 9n },
    ],
    ['withdrawNonce', system(5, [a, b, c, d, me], ...u64(9n)), { kind: 'TRANSFER', asset: SOL, from: a, to: b, amount: 9n }],
    ['initializeNonce', system(6, [a, b, c], ...bytesOf(d)), { kind: 'AUTHORITY', what: 'nonce authority is', from: a, to: d }],
    ['authorizeNonce', system(7, [a, me], ...bytesOf(d)), { kind: 'AUTHORITY', what: 'nonce authority goes to', from: a, to: d }],
    ['allocate', system(8, [a], ...u64(9n)), { kind: 'CALL', what: `allocate 9 bytes in ${a}`, to: SYSTEM }],
    [
      'allocateWithSeed',
      system(9, [a, me], ...bytesOf(me), ...text('x'), ...u64(9n), ...bytesOf(d)),
      { kind: 'AUTHORITY', what: 'hand it over to program', from: a, to: d },
    ],
    [
      'assignWithSeed',
      system(10, [a, me], ...bytesOf(me), ...text('x'), ...bytesOf(d)),
      { kind: 'AUTHORITY', what: 'hand it over to program', from: a, to: d },
    ],
    ['upgradeNonce', system(12, [a]), { kind: 'CALL', what: `upgrade nonce account ${a}`, to: SYSTEM }],
  ])('%s', (_, call, effect) => {
    expect(effectsOf([call])).toEqual([effect]);
    expect(readCalls([call]).fullyParsed).toBe(true);
    expect(readCalls([call])).not.toHaveProperty('fullyParsedByInterfaces');
  });

  test('D76: a durable nonce keeps a signed transaction good, which people and policies are told', () => {
    const { effects, description, policy } = readCalls([system(4, [a, b, me]), system(2, [me, c], ...u64(9n))]);
    expect(effects[0]).toEqual({ kind: 'REPLAYABLE', lasting: true, what: `valid until the nonce of ${a} is used` });
    expect(description).toMatch(/^DOES NOT EXPIRE: valid until the nonce of /);
    expect(policy).not.toHaveProperty('transfers');
  });
});

describe('Stake instructions', () => {
  const history = key(50);
  const config = key(51);
  const right = (what: string, to: string) => ({ kind: 'AUTHORITY', what, from: a, to });
  const noLockup = [...u64(0n), ...u64(0n), ...bytesOf(SYSTEM)];

  test.each([
    [
      'initialize',
      stake(0, [a, b], ...bytesOf(c), ...bytesOf(d), ...noLockup),
      [right('staker of the stake is', c), right('withdrawer of the stake is', d)],
    ],
    [
      'initialize with a lockup',
      stake(0, [a, b], ...bytesOf(c), ...bytesOf(d), ...u64(5n), ...u64(6n), ...bytesOf(b)),
      [
        right('staker of the stake is', c),
        right('withdrawer of the stake is', d),
        right('its lockup lasts until second 5 and epoch 6, and the custodian is', b),
      ],
    ],
    ['authorize', stake(1, [a, CLOCK, me], ...bytesOf(d), ...u32(1)), [right('withdrawer of the stake becomes', d)]],
    [
      'delegate',
      stake(2, [a, b, CLOCK, history, config, me]),
      [{ kind: 'CALL', what: `delegate stake ${a} to validator vote account ${b}`, to: STAKE }],
    ],
    ['split', stake(3, [a, b, me], ...u64(9n)), [{ kind: 'TRANSFER', asset: SOL, from: a, to: b, amount: 9n }]],
    [
      'withdraw',
      stake(4, [a, b, CLOCK, history, me], ...u64(9n)),
      [{ kind: 'TRANSFER', asset: SOL, from: a, to: b, amount: 9n }],
    ],
    ['deactivate', stake(5, [a, CLOCK, me]), [{ kind: 'CALL', what: `deactivate stake ${a}`, to: STAKE }]],
    [
      'setLockup',
      stake(6, [a, me], 0, 1, ...u64(6n), 1, ...bytesOf(d)),
      [right('its lockup lasts until epoch 6, and the custodian is', d)],
    ],
    ['merge', stake(7, [b, a, CLOCK, history, me]), [{ kind: 'TRANSFER', asset: SOL, from: a, to: b }]],
    [
      'authorizeWithSeed',
      stake(8, [a, me, CLOCK], ...bytesOf(d), ...u32(0), ...text('x'), ...bytesOf(c)),
      [right('staker of the stake becomes', d)],
    ],
    [
      'initializeChecked',
      stake(9, [a, RENT, c, d]),
      [right('staker of the stake is', c), right('withdrawer of the stake is', d)],
    ],
    ['authorizeChecked', stake(10, [a, CLOCK, me, d], ...u32(1)), [right('withdrawer of the stake becomes', d)]],
    [
      'authorizeCheckedWithSeed',
      stake(11, [a, me, CLOCK, d], ...u32(1), ...text('x'), ...bytesOf(c)),
      [right('withdrawer of the stake becomes', d)],
    ],
    [
      'setLockupChecked',
      stake(12, [a, me, d], 1, ...u64(5n), 0),
      [right('its lockup lasts until second 5, and the custodian is', d)],
    ],
    ['getMinimumDelegation', stake(13, []), [{ kind: 'CALL', what: 'get the minimum delegation', to: STAKE }]],
    ['deactivateDelinquent', stake(14, [a, b, c]), [{ kind: 'CALL', what: `deactivate delinquent stake ${a}`, to: STAKE }]],
    ['moveStake', stake(16, [a, b, me], ...u64(9n)), [{ kind: 'TRANSFER', asset: SOL, from: a, to: b, amount: 9n }]],
    ['moveLamports', stake(17, [a, b, me], ...u64(9n)), [{ kind: 'TRANSFER', asset: SOL, from: a, to: b, amount: 9n }]],
  ])('D77: %s', (name, call, effects) => {
    expect(effectsOf([call])).toEqual(effects);
    const { fullyParsed, fullyParsedByInterfaces, policy } = readCalls([call]);
    expect(fullyParsed).toBe(true);
    // Policies of language 1 knew this program by a stored interface or not at all.
    expect(fullyParsedByInterfaces).toBe(false);
    expect(policy).not.toHaveProperty('transfers');
    expect(policy.instructions).toMatchObject([{ parsed_instruction_data: { instruction_name: name.split(' ')[0] } }]);
  });

  test.each([
    ['initializeChecked', stake(9, [a, c, d]), stake(9, [a, RENT, c, d]), [c, d]],
    ['authorizeChecked', stake(10, [a, me, d], ...u32(1)), stake(10, [a, CLOCK, me, d], ...u32(1)), [d]],
    [
      'authorizeCheckedWithSeed',
      stake(11, [a, me, d], ...u32(1), ...text('x'), ...bytesOf(c)),
      stake(11, [a, me, CLOCK, d], ...u32(1), ...text('x'), ...bytesOf(c)),
      [d],
    ],
  ])('D77: %s finds who gains with and without the sysvar, also behind a decoy', (_, bare, full, gains) => {
    const gained = (call: ProgramCall) => effectsOf([call]).map((effect) => (effect as { readonly to: string }).to);
    expect(gained(full)).toEqual(gains);
    expect(gained(bare)).toEqual(gains);
    expect(gained({ ...bare, accounts: [...(bare.accounts ?? []), key(60)] })).toEqual(gains);
  });

  test('D77: an account from a lookup table in the place of a sysvar leaves the instruction unknown', () => {
    const { effects, fullyParsed } = parse(
      buildTransaction({
        version: 0x80,
        otherKeys: [a, d, STAKE],
        lookups: [{ table: key(8), writable: [], readonly: [7] }],
        instructions: [{ program: 3, accounts: [1, 4, 0, 2], data: [...u32(10), ...u32(1)] }],
      }),
    );
    expect(effects[0]).toEqual({ kind: 'UNKNOWN', what: 'unknown call', to: STAKE, bytes: 8 });
    expect(fullyParsed).toBe(false);
  });

  test('Redelegate, which was never enabled, and an unknown role', () => {
    expect(effectsOf([stake(15, [a, b, c, d, me])])).toEqual([{ kind: 'UNKNOWN', what: 'unknown call', to: STAKE, bytes: 4 }]);
    expect(() => readCalls([stake(1, [a, CLOCK, me], ...bytesOf(d), ...u32(2))])).toThrow('role of a stake authority');
  });
});

describe('effects of any transaction', () => {
  const reader = (bytes: Uint8Array) => parse(bytesToHex(bytes));

  test('are never missing, and one that nobody understood never counts as parsed', () => {
    fc.assert(
      fc.property(transaction, (bytes) => {
        const { effects, fullyParsed, unparsed, wire, policy } = reader(bytes);
        const told = wire.message.instructions.filter(({ programKey }) => !programKey.startsWith('ComputeBudget'));
        expect(effects.length).toBeGreaterThanOrEqual(told.length + 1);
        expect(effects.filter(({ kind }) => kind === 'FEE')).toHaveLength(1);
        expect(fullyParsed).toBe(unparsed.length === 0);
        if (effects.some(({ kind }) => kind === 'UNKNOWN')) expect(fullyParsed).toBe(false);
        // Every transfer that policies see is an effect.
        const moved = effects
          .filter(({ kind }) => kind === 'TRANSFER')
          .map((effect) => ('amount' in effect ? effect.amount : 0n));
        const listed = [
          ...((policy.transfers ?? []) as { amount: bigint }[]),
          ...((policy.spl_transfers ?? []) as { amount: bigint }[]),
        ];
        for (const { amount } of listed) expect(moved).toContain(amount);
      }),
    );
  });

  test('D39: name only addresses that the message shows', () => {
    fc.assert(
      fc.property(transaction, (bytes) => {
        const { effects, wire, policy } = reader(bytes);
        // The data of a new account names its owner.
        const known = new Set([...wire.message.accountKeys, NEW_OWNER]);
        for (const effect of effects) {
          for (const role of ['from', 'to'] as const) {
            const address = role in effect ? (effect as Record<string, unknown>)[role] : undefined;
            if (address !== undefined) expect(known.has(address as string)).toBe(true);
          }
        }
        expect(Object.hasOwn(policy, 'account_keys')).toBe(wire.message.lookups.length === 0);
      }),
    );
  });

  test('D39: an effect with a looked-up account lacks its address', () => {
    const { effects, description } = parse(vector('version 0 message with an address lookup table').unsignedTransaction);
    expect(effects.slice(0, 2)).toEqual([
      { kind: 'TRANSFER', asset: SOL, from: me, amount: 5n },
      {
        kind: 'TRANSFER',
        asset: { id: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:unknown', kind: 'TOKEN' },
        from: '23bwftGa66SEMcrLUExU1gstNFzfBc8EqKr4SfeEdmh6',
        amount: 9n,
      },
    ]);
    expect(description).toContain('send 0.000000005 SOL to AN ACCOUNT THAT THE TRANSACTION DOES NOT SHOW');
  });

  test('contacts are named by their labels', () => {
    const recipient = 'Ggwe6knoNMhhv8CKRKWk1DSB2KXgpi17qMJnZj4trzjz';
    const names = { contact: (address: string) => (address === recipient ? 'Acme' : undefined) };
    const { unsignedTransaction } = vector('transfer, legacy message');
    expect(solanaTransaction.parse(unsignedTransaction, { signer, interfaces: [], names }).description).toBe(
      `send 0.5 SOL to "Acme" (${recipient}) on Solana, network fee at most 0.000005 SOL`,
    );
  });
});

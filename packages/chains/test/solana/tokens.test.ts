import { describe, expect, test } from 'vitest';
import type { TokenList } from '../../src/effects/token-list.ts';
import { key, TOKEN, TOKEN_2022, u64 } from './message-builder.ts';
import { bytesOf, effectsOf, me, type ProgramCall, readCalls } from './program-calls.ts';

const CHAIN = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const UNKNOWN = { id: `${CHAIN}/token:unknown`, kind: 'TOKEN' };
const [source, mint, destination, other] = [key(1), key(2), key(3), key(4)];
const MAX = 2n ** 64n - 1n;

const usdc: TokenList = (id) => (id === `${CHAIN}/token:${mint}` ? { symbol: 'USDC', decimals: 6 } : undefined);
const listed = { id: `${CHAIN}/token:${mint}`, kind: 'TOKEN', symbol: 'USDC', decimals: 6 };
const unlisted = (decimals?: number) => ({
  id: `${CHAIN}/token:${mint}`,
  kind: 'TOKEN',
  ...(decimals !== undefined && { decimals }),
});

const call = (program: string, accounts: readonly string[], ...data: readonly number[]): ProgramCall => ({
  program,
  accounts,
  data,
});
const transferChecked = (program: string, amount: bigint, ...extra: readonly string[]) =>
  call(program, [source, mint, destination, me, ...extra], 12, ...u64(amount), 6);

describe.each([
  ['Token', TOKEN],
  ['Token-2022', TOKEN_2022],
])('%s', (_, program) => {
  test('a transfer of a listed token', () => {
    const read = readCalls([transferChecked(program, 25_000_000_000n)], usdc);
    expect(read.effects[0]).toEqual({ kind: 'TRANSFER', asset: listed, from: source, to: destination, amount: 25_000_000_000n });
    expect(read.fullyParsed).toBe(true);
    expect(read.description).toBe(`send 25,000 USDC of ${source} to ${destination} on Solana, network fee at most 0.000005 SOL`);
  });

  test('a transfer of a token that no list names: the program vouches for its decimals', () => {
    const read = readCalls([transferChecked(program, 1_500_000n)]);
    expect(read.effects[0]).toMatchObject({ asset: unlisted(6), amount: 1_500_000n });
    expect(read.fullyParsed).toBe(true);
    expect(read.description).toContain(`send 1.5 of the token ${mint} of ${source}`);
  });

  test('a list that gives other decimals makes the amount a matter of doubt', () => {
    const wrong: TokenList = () => ({ symbol: 'USDC', decimals: 2 });
    expect(readCalls([transferChecked(program, 1n)], wrong)).toMatchObject({
      fullyParsed: false,
      unparsed: [`instruction 1: the token list gives mint ${mint} other decimals than the instruction`],
    });
  });

  test('a plain transfer does not name its token', () => {
    const read = readCalls([call(program, [source, destination, me], 3, ...u64(7n))], usdc);
    expect(read.effects[0]).toEqual({ kind: 'TRANSFER', asset: UNKNOWN, from: source, to: destination, amount: 7n });
    expect(read.unparsed).toEqual(['instruction 1: the transfer instruction does not name its token']);
    expect(read.fullyParsed).toBe(false);
    expect(read.policy.spl_transfers).toMatchObject([{ token_mint: '', amount: 7n }]);
  });

  test('approvals, and one without limit in capital letters', () => {
    const checked = (amount: bigint) => call(program, [source, mint, other, me], 13, ...u64(amount), 6);
    expect(effectsOf([checked(9n)], usdc)).toEqual([
      { kind: 'ALLOWANCE', asset: listed, from: source, to: other, amount: 9n, unlimited: false },
    ]);
    for (const amount of [MAX, MAX - 1n]) expect(effectsOf([checked(amount)], usdc)).toMatchObject([{ unlimited: true, amount }]);
    expect(readCalls([checked(MAX)], usdc).description).toMatch(`LET ${other} SPEND UNLIMITED USDC of ${source} on Solana`);
    const plain = call(program, [source, other, me], 4, ...u64(MAX));
    expect(effectsOf([plain], usdc)).toMatchObject([{ kind: 'ALLOWANCE', asset: UNKNOWN, to: other, unlimited: true }]);
    expect(readCalls([plain], usdc).fullyParsed).toBe(false);
  });

  test('a revocation leaves nobody', () => {
    const read = readCalls([call(program, [source, me], 5)]);
    expect(read.effects[0]).toEqual({ kind: 'ALLOWANCE', asset: UNKNOWN, from: source, amount: 0n, unlimited: false });
    expect(read.fullyParsed).toBe(true);
    expect(read.description).toMatch(/^let nobody spend /);
  });

  test.each([
    [
      'SetAuthority',
      call(program, [source, me], 6, 2, 1, ...bytesOf(other)),
      [{ what: 'AccountOwner authority goes to', from: source, to: other }],
    ],
    ['SetAuthority to nobody', call(program, [mint, me], 6, 0, 0), [{ what: 'MintTokens authority goes to nobody', from: mint }]],
    ['FreezeAccount', call(program, [source, mint, me], 10), [{ what: 'freeze the token account', from: source }]],
    ['ThawAccount', call(program, [source, mint, me], 11), [{ what: 'thaw the token account', from: source }]],
    [
      'InitializeMint2',
      call(program, [mint], 20, 6, ...bytesOf(me), 1, ...bytesOf(other)),
      [
        { what: 'mint authority is', from: mint, to: me },
        { what: 'freeze authority is', from: mint, to: other },
      ],
    ],
    [
      'InitializeAccount3',
      call(program, [source, mint], 18, ...bytesOf(other)),
      [{ what: 'owner of the token account is', from: source, to: other }],
    ],
    [
      'InitializeMultisig2',
      call(program, [source, me, other], 19, 1),
      [
        { what: 'any 1 of 2 members sign for it, one is', from: source, to: me },
        { what: 'any 1 of 2 members sign for it, one is', from: source, to: other },
      ],
    ],
    ['InitializeImmutableOwner', call(program, [source], 22), [{ what: 'its owner can never change', from: source }]],
  ])('D77: %s changes who controls an account', (_name, instruction, rights) => {
    expect(effectsOf([instruction])).toEqual(rights.map((right) => ({ kind: 'AUTHORITY', ...right })));
    expect(readCalls([instruction]).fullyParsed).toBe(true);
  });

  test('closing sends all SOL of the account, and nobody can tell how much', () => {
    const [effect] = effectsOf([call(program, [source, destination, me], 9)]);
    expect(effect).toMatchObject({ kind: 'TRANSFER', from: source, to: destination });
    expect(effect).not.toHaveProperty('amount');
  });

  test('minting takes tokens out of the mint, burning puts them back', () => {
    expect(effectsOf([call(program, [mint, destination, me], 14, ...u64(9n), 6)], usdc)).toEqual([
      { kind: 'TRANSFER', asset: listed, from: mint, to: destination, amount: 9n },
    ]);
    expect(effectsOf([call(program, [source, mint, me], 8, ...u64(9n))])).toEqual([
      { kind: 'TRANSFER', asset: unlisted(), from: source, to: mint, amount: 9n },
    ]);
  });

  test('an unknown instruction is told with its bytes', () => {
    expect(effectsOf([call(program, [source], 200, 1, 2)])).toEqual([
      { kind: 'UNKNOWN', what: 'unknown call', to: program, bytes: 3 },
    ]);
  });
});

describe('D74: what a mint of Token-2022 adds to a transfer', () => {
  test('a fee that the instruction names', () => {
    const withFee = call(TOKEN_2022, [source, mint, destination, me], 26, 1, ...u64(10_000_000n), 6, ...u64(150_000n));
    const read = readCalls([withFee], usdc);
    expect(read.effects[0]).toMatchObject({ kind: 'TRANSFER', amount: 10_000_000n, fee: 150_000n, to: destination });
    expect(read.description).toContain('send 10 USDC (0.15 USDC of it withheld as a fee) of ');
    expect(read.fullyParsed).toBe(true);
  });

  test('without extra accounts no hook can run, so the transfer is understood', () => {
    expect(readCalls([transferChecked(TOKEN_2022, 1n)]).fullyParsed).toBe(true);
  });

  test.each([
    ['a program', [key(60)]],
    ['a program and its accounts', [key(60), key(61), key(62)]],
    ['a key that signs, which may be a program as well as a member of a multisig', [me]],
  ])('extra accounts may run a hook: %s', (_, extra) => {
    const read = readCalls([transferChecked(TOKEN_2022, 1n, ...extra)]);
    expect(read.fullyParsed).toBe(false);
    expect(read.unparsed).toEqual([
      `instruction 1: the transfer has ${extra.length} extra accounts, which may run a transfer hook`,
    ]);
    expect(read.policy.spl_transfers).toHaveLength(1);
  });

  test('the Token program has no hooks: extra accounts are members of a multisig', () => {
    expect(readCalls([transferChecked(TOKEN, 1n, key(60))]).fullyParsed).toBe(true);
  });

  test('rights over a mint', () => {
    const config = call(TOKEN_2022, [mint], 26, 0, 1, ...bytesOf(other), 0, 50, 0, ...u64(5_000n));
    expect(effectsOf([config])).toMatchObject([
      { kind: 'CALL', what: `give mint ${mint} a transfer fee of 50 basis points, at most 5000 base units` },
      { kind: 'AUTHORITY', what: 'the transfer fee is set by', from: mint, to: other },
      { kind: 'AUTHORITY', what: 'withheld fees are withdrawn by nobody', from: mint },
    ]);
    expect(effectsOf([call(TOKEN_2022, [mint], 35, ...bytesOf(other))])).toEqual([
      { kind: 'AUTHORITY', what: 'every token of it can always be moved by', from: mint, to: other },
    ]);
  });
});

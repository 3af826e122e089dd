import { readFileSync } from 'node:fs';
import { hexToBytes } from '@noble/hashes/utils.js';
import { describe, expect, test } from 'vitest';
import { transactionTypes } from '../../src/chains.ts';
import { defaultTokens } from '../../src/effects/default-tokens.ts';
import { paymentsOf } from '../../src/effects/payments.ts';
import { associatedTokenAccounts } from '../../src/solana/token-account.ts';
import { encode, friend, maxUint256, self, send, stored, stranger, usdc } from '../ethereum/effects/support.ts';
import { bytesOf, me, type ProgramCall, readCalls, u32 } from '../solana/program-calls.ts';

interface Entry {
  readonly name: string;
  readonly type: keyof typeof transactionTypes | 'EIP-712';
  readonly unsigned?: string;
  readonly signer: string;
  readonly addressFormat?: string;
}

const { transactions }: { readonly transactions: readonly Entry[] } = JSON.parse(
  readFileSync(new URL('../../../../conformance/effects/transactions.json', import.meta.url), 'utf8'),
);
const onChain = transactions.filter(({ type }) => type !== 'EIP-712');

const payments = ({ type, unsigned, signer, addressFormat }: Entry) => {
  const transactionType = transactionTypes[type as keyof typeof transactionTypes];
  const key = { publicKey: hexToBytes(signer), ...(addressFormat !== undefined && { addressFormat }) };
  return paymentsOf(
    transactionType.parse(unsigned ?? '', {
      signer: { curve: transactionType.curve, ...key },
      interfaces: [],
      tokens: defaultTokens,
    }),
  );
};

/** Every transaction of the file that is nothing but payments of its signer. All others do something else as well. */
const ONLY_PAYMENTS = [
  'ETH transfer (EIP-1559)',
  'USDC transfer',
  'OP Mainnet: USDC transfer',
  'Polygon: USDT0 transfer',
  'SOL transfer',
  'TRX transfer',
  'USDT on Tron: transfer',
  'P2WPKH payment with change',
  // Everything that leaves counts as if the signer paid it alone, so the amounts are an upper bound.
  'CoinJoin: somebody else spends as well',
];

const USDC_MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
const SYSTEM = '11111111111111111111111111111111';
const OTHER = 'SysvarRent111111111111111111111111111111111';
const [own = ''] = associatedTokenAccounts(me, USDC_MINT);
const u64 = (value: number) => [...u32(value), 0, 0, 0, 0];
const tokens = (from: string, amount = 5): ProgramCall => ({
  program: TOKEN,
  accounts: [from, USDC_MINT, OTHER, me],
  data: [12, ...u64(amount), 6],
});
const lamports = (from: string): ProgramCall => ({ program: SYSTEM, accounts: [from, OTHER], data: [...u32(2), ...u64(7)] });
const transfer = (to: string, value: bigint) => encode('function transfer(address to, uint256 value)', [to, value]);

describe('payments', () => {
  test('D400: only transactions that do nothing but pay are payments', () => {
    const found = onChain.filter((entry) => payments(entry) !== undefined).map(({ name }) => name);
    expect(found).toEqual(ONLY_PAYMENTS);
  });

  test('a payment has its asset, amount, sender and recipient', () => {
    expect(paymentsOf(send({ to: usdc, data: transfer(friend, 5n) }))).toEqual([
      { asset: `eip155:1/erc20:${usdc}`, amount: 5n, from: self, to: friend },
    ]);
    expect(paymentsOf(send({ to: usdc, data: transfer(friend, 5n), value: 3n }))).toEqual([
      { asset: 'eip155:1/slip44:60', amount: 3n, from: self, to: usdc },
      { asset: `eip155:1/erc20:${usdc}`, amount: 5n, from: self, to: friend },
    ]);
    expect(paymentsOf(readCalls([lamports(me), tokens(own)], defaultTokens))).toEqual([
      { asset: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/slip44:501', amount: 7n, from: me, to: OTHER },
      { asset: `solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:${USDC_MINT}`, amount: 5n, from: own, to: OTHER },
    ]);
  });

  test.each([
    ['an allowance', send({ to: usdc, data: encode('function approve(address s, uint256 v)', [friend, maxUint256]) })],
    ['bytes that nobody reads', send({ to: friend, data: '0x12345678' })],
    ['a token that no list names', send({ to: stranger, data: transfer(friend, 5n) })],
    [
      'a contract that only an interface of the organization calls a token',
      send(
        { to: stranger, data: transfer(friend, 5n) },
        { interfaces: [stored(stranger, 'function transfer(address to, uint256 value)')] },
      ),
    ],
    ['nothing at all', send({ to: friend, value: 0n })],
    ['coins that come back', send({ to: self, value: 5n })],
  ])('D400: %s is no payment', (_, parsed) => {
    expect(paymentsOf(parsed)).toBeUndefined();
  });

  test('D400: a memo is no payment: it can decide whose account at the receiver is credited', () => {
    const memo = { program: MEMO, data: new TextEncoder().encode('to my account') };
    expect(paymentsOf(readCalls([lamports(me)], defaultTokens))).toHaveLength(1);
    expect(paymentsOf(readCalls([lamports(me), memo], defaultTokens))).toBeUndefined();
  });

  test('D400: a durable nonce keeps a transaction valid, so it is no payment', () => {
    const nonce = { program: SYSTEM, accounts: [OTHER, 'SysvarRecentB1ockHashes11111111111111111111', me], data: u32(4) };
    expect(paymentsOf(readCalls([nonce, lamports(me)], defaultTokens))).toBeUndefined();
  });

  test('D404: a payment from another address is none of the signer', () => {
    const from = (sender: string) =>
      send({ to: usdc, data: encode('function transferFrom(address f, address t, uint256 v)', [sender, friend, 5n]) });
    expect(paymentsOf(from(self))).toHaveLength(1);
    expect(paymentsOf(from(stranger))).toBeUndefined();
    expect(paymentsOf(readCalls([tokens(own)], defaultTokens))).toHaveLength(1);
    expect(paymentsOf(readCalls([tokens(OTHER)], defaultTokens))).toBeUndefined();
    expect(paymentsOf(readCalls([lamports(me), tokens(OTHER)], defaultTokens))).toBeUndefined();
  });

  test('D404: calls of a contract that moves its own funds are no payments', () => {
    const multicall = '0xca11bde05977b3631167028862be2a173976ca11';
    const signature = 'function aggregate3Value((address target, bool allowFailure, uint256 value, bytes callData)[] calls)';
    const data = encode(signature, [[{ target: friend, allowFailure: false, value: 5n, callData: '0x' }]]);
    expect(paymentsOf(send({ to: multicall, data, value: 5n }))).toBeUndefined();
  });

  test('the associated token accounts of a wallet are those of the program', () => {
    // The Associated Token Account program created it in "a token account is created and receives tokens".
    const [wallet, mint] = ['BkoECWJYM7w9qNZ6EGCoBtnkphWau6nZMPbPqvm4eYF4', 'GHArwcWCuk9WkUG4XKUbt935rKfmBmywbEWyFxdH3mou'];
    expect(associatedTokenAccounts(wallet, mint)).toContain('92YgwqTtTWB7qY92JT6mbL2WCmhAs7LPZL4jLcizNfwx');
    expect(bytesOf(own)).toHaveLength(32);
  });
});

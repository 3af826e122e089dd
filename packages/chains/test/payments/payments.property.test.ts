import { base58 } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tronText } from '../../src/addresses/tron.ts';
import {
  defaultTokens,
  ethereumPaymentCall,
  type PaymentOrder,
  solanaPayment,
  transactionTypes,
  tronPayment,
  withBlockhash,
  withTronReference,
} from '../../src/index.ts';
import { associatedTokenAccounts } from '../../src/solana/token-account.ts';
import { parse as parseSolana, sign as signSolana, vectors as solanaVectors } from '../solana/support.ts';
import { parse as parseTron, sign as signTron, signer as tronSigner, vectors as tronVectors } from '../tron/support.ts';

const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const TRON = 'tron:0x2b6653dc';
const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const solanaPayer = solanaVectors.signer.address;
const tronPayer = tronVectors.signer.address;

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const solanaReceivers = bytes(32).map((key) => base58.encode(key));
const tronReceivers = bytes(20).map((account) => tronText.print(account));
const amounts = fc.bigInt(1n, 2n ** 63n - 1n);
const memos = fc.option(fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }), { nil: undefined });
const prices = fc.option(fc.bigInt(1n, 10n ** 9n), { nil: undefined });

const solanaOrder = (to: string, amount: bigint, asset = 'slip44:501', decimals = 9): PaymentOrder => ({
  ...{ from: solanaPayer, to, amount, decimals },
  asset: `${SOLANA}/${asset}`,
});
const tronOrder = (to: string, amount: bigint, asset = 'slip44:195'): PaymentOrder => ({
  ...{ from: tronPayer, to, amount, decimals: 6 },
  asset: `${TRON}/${asset}`,
});

describe('a payment on Solana', () => {
  test('in SOL is decoded as one transfer and its fee, also with a memo and a priority', () => {
    fc.assert(
      fc.property(solanaReceivers, amounts, memos, prices, (to, amount, memo, unitPrice) => {
        const priority = unitPrice === undefined ? undefined : { unitPrice, units: 10_000 };
        const built = solanaPayment(solanaOrder(to, amount), { ...(memo && { memo }), ...(priority && { priority }) });
        const { effects, fullyParsed } = parseSolana(built);
        const fee = 5_000n + ((unitPrice ?? 0n) * 10_000n + 999_999n) / 1_000_000n;
        expect(fullyParsed).toBe(true);
        expect(effects.filter(({ kind }) => kind !== 'CALL')).toMatchObject([
          { kind: 'TRANSFER', asset: { id: `${SOLANA}/slip44:501` }, amount, from: solanaPayer, to },
          { kind: 'FEE', amount: fee, from: solanaPayer },
        ]);
        expect(effects.length).toBe(memo === undefined ? 2 : 3);
      }),
    );
  });

  test('in a token goes between the associated accounts, and can create that of the receiver', () => {
    fc.assert(
      fc.property(solanaReceivers, amounts, (to, amount) => {
        const order = solanaOrder(to, amount, `token:${MINT}`, 6);
        const [source, target] = [solanaPayer, to].map((wallet) => associatedTokenAccounts(wallet, MINT)[0]);
        const transfer = { kind: 'TRANSFER', asset: { id: order.asset }, amount, from: source, to: target };
        expect(parseSolana(solanaPayment(order)).effects).toMatchObject([transfer, { kind: 'FEE', amount: 5_000n }]);
        const created = parseSolana(solanaPayment(order, { createsAccount: true }));
        expect(created.fullyParsed).toBe(true);
        expect(created.effects).toMatchObject([
          { kind: 'CREATE', what: 'ACCOUNT', amount: 2_039_280n, from: solanaPayer, to: target, owner: to },
          { ...transfer, owner: to },
          { kind: 'FEE', amount: 5_000n },
        ]);
      }),
      // Deriving an account takes a millisecond.
      { numRuns: 30 },
    );
  });

  test('takes the blockhash that the service fills in, and is signed by its payer alone', () => {
    const to = base58.encode(new Uint8Array(32).fill(7));
    const blockhash = base58.encode(new Uint8Array(32).fill(9));
    const built = solanaPayment(solanaOrder(to, 5n));
    expect(withBlockhash(built, blockhash)).toBe(solanaPayment(solanaOrder(to, 5n), { blockhash }));
    expect(signSolana(parseSolana(withBlockhash(built, blockhash)))).toHaveLength(built.length);
  });

  test('to the payer itself keeps one account', () => {
    const { effects } = parseSolana(solanaPayment(solanaOrder(solanaPayer, 5n)));
    expect(effects).toMatchObject([{ from: solanaPayer, to: solanaPayer, amount: 5n }, { kind: 'FEE' }]);
  });

  test('is refused if a number or the memo does not fit', () => {
    const to = base58.encode(new Uint8Array(32).fill(7));
    expect(() => solanaPayment(solanaOrder(to, 2n ** 64n))).toThrow('does not fit 64 bits');
    expect(() => solanaPayment(solanaOrder(to, 1n), { memo: 'x'.repeat(1_100) })).toThrow('shorten its memo');
    expect(() => solanaPayment(solanaOrder('nobody', 1n))).toThrow();
    expect(parseSolana(solanaPayment(solanaOrder(to, 1n), { memo: 'x'.repeat(200) })).fullyParsed).toBe(true);
  });
});

describe('a payment on Tron', () => {
  const options = { timestampMs: 1_700_000_000_000, feeLimit: 30_000_000n };

  test('in TRX is decoded as one transfer and its fee, also with a memo', () => {
    fc.assert(
      fc.property(tronReceivers, amounts, memos, (to, amount, memo) => {
        const { effects, fullyParsed } = parseTron(tronPayment(tronOrder(to, amount), { ...options, ...(memo && { memo }) }));
        expect(fullyParsed).toBe(true);
        expect(effects.filter(({ kind }) => kind !== 'CALL')).toMatchObject([
          { kind: 'TRANSFER', asset: { id: `${TRON}/slip44:195` }, amount, from: tronPayer, to },
          { kind: 'FEE', from: tronPayer },
        ]);
      }),
    );
  });

  test('in a token is decoded as one transfer, with the fee limit in its fee', () => {
    fc.assert(
      fc.property(tronReceivers, amounts, (to, amount) => {
        const built = tronPayment(tronOrder(to, amount, `trc20:${USDT}`), options);
        const context = { signer: tronSigner, interfaces: [], tokens: defaultTokens };
        const { effects, fullyParsed } = transactionTypes.TRANSACTION_TYPE_TRON.parse(built, context);
        expect(fullyParsed).toBe(true);
        expect(effects).toMatchObject([
          { kind: 'TRANSFER', asset: { id: `${TRON}/trc20:${USDT}` }, amount, from: tronPayer, to },
          { kind: 'FEE', from: tronPayer },
        ]);
        const [, fee] = effects as unknown as readonly { readonly amount: bigint }[];
        expect(fee?.amount).toBeGreaterThan(30_000_000n);
        expect(fee?.amount).toBeLessThan(31_000_000n);
      }),
    );
  });

  test('takes the reference that the service fills in', () => {
    const to = tronText.print(new Uint8Array(20).fill(7));
    const reference = { refBlockBytes: '1234', refBlockHash: '0123456789abcdef', expiration: '1700000300000' };
    const filled = withTronReference(tronPayment(tronOrder(to, 5n), options), reference);
    expect(filled).toBe(tronPayment(tronOrder(to, 5n), { ...options, reference }));
    expect(signTron(parseTron(filled))).toContain(filled);
  });

  test('is refused if the amount does not fit', () => {
    expect(() => tronPayment(tronOrder(tronPayer, 2n ** 63n), options)).toThrow('63 bits');
    expect(() => tronPayment(tronOrder('nobody', 1n), options)).toThrow();
  });
});

test('a payment in a token of an EVM chain is refused without a receiver of the chain', () => {
  const asset = 'eip155:1/erc20:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
  expect(() => ethereumPaymentCall({ from: '', to: tronPayer, asset, decimals: 6, amount: 1n })).toThrow('not an address');
  expect(() => ethereumPaymentCall({ from: '', to: `0x${'11'.repeat(20)}`, asset, decimals: 6, amount: 2n ** 256n })).toThrow(
    '256 bits',
  );
});

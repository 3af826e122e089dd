import { addressFormats, chains, solanaPayment, tronPayment } from '@countersign/chains';
import { hexToBytes } from '@noble/hashes/utils.js';
import { base58 } from '@scure/base';
import { RawTx, Transaction } from '@scure/btc-signer';
import { describe, expect, test } from 'vitest';
import { receiverProblem } from '../src/pages/send/check-draft.ts';
import { type Draft, emptyDraft } from '../src/pages/send/draft.ts';
import { assetsOf, type Built, type PaidAsset, type Payment } from '../src/pages/send/payment.ts';
import { networksOfFormat, paymentChainOf } from '../src/pages/send/payment-chains.ts';
import { previewOf } from '../src/pages/send/preview.ts';
import type { Signer } from '../src/review/types.ts';

const publicKey = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const solanaKey = '3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a62ac048a18b59da29';
const nothing = { contacts: [], tokens: [], interfaces: [] };
const unproven = { record: async () => undefined } as never;

/** A key of a chain, its address, a receiver, and a draft that pays it. */
interface Case {
  readonly network: string;
  readonly signer: Signer;
  readonly to: string;
  readonly other: string;
  readonly draft: Partial<Draft>;
}

const secp256k1 = (addressFormat: string): Signer => ({ curve: 'CURVE_SECP256K1', publicKey, addressFormat });
const addressOf = ({ curve, publicKey: key, addressFormat }: Signer) =>
  addressFormats[addressFormat as 'ADDRESS_FORMAT_TRON'].encode(hexToBytes(key), curve);

const previous = Buffer.from(
  RawTx.encode({
    version: 2,
    segwitFlag: false,
    inputs: [{ txid: new Uint8Array(32).fill(1), index: 0, finalScriptSig: new Uint8Array(), sequence: 0 }],
    outputs: [{ amount: 500_000_000n, script: hexToBytes('0014751e76e8199196d454941c45d1b3a323f1433bd6') }],
    lockTime: 0,
  }),
).toString('hex');

const cases: Readonly<Record<string, Case>> = {
  Solana: {
    network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    signer: { curve: 'CURVE_ED25519', publicKey: solanaKey, addressFormat: 'ADDRESS_FORMAT_SOLANA' },
    to: '4zvwRjXUKGfvwnParsHAS3HuSVzV5cA4McphgmoCtajS',
    other: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin',
    draft: { ownFee: '0.00001', speed: 'OWN' },
  },
  Tron: {
    network: 'tron:0x2b6653dc',
    signer: secp256k1('ADDRESS_FORMAT_TRON'),
    to: 'TBbb6BNEpvAg5J8BbqXRbZwLiHNLZ1cYrV',
    other: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
    draft: { ownFee: '30', speed: 'OWN' },
  },
  Bitcoin: {
    network: 'bip122:000000000019d6689c085ae165831e93',
    signer: secp256k1('ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH'),
    to: 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
    other: '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
    draft: { ownFee: '5', speed: 'OWN', coins: previous },
  },
};

function paymentIn({ network, signer, to, draft }: Case, asset: PaidAsset, amount = 1_000_000n): Payment {
  const fees = paymentChainOf(network).feesOf({ ...emptyDraft, ...draft }, asset, undefined);
  if (fees === undefined) throw new Error('the fees of the case are complete');
  return { from: addressOf(signer), network, to, asset, amount, fees };
}

const build = ({ signer }: Case, payment: Payment) =>
  paymentChainOf(payment.network).build(payment, { idempotencyKey: 'key', timestampMs: 1_700_000_000_000, signer });

/** The reading of a request for a payment, which the log proves nothing of. */
const preview = ({ signer }: Case, payment: Payment, built: Built) =>
  previewOf(payment, { ...built, organizationId: 'o' }, signer, nothing, unproven);

describe.each(Object.entries(cases))('payments on %s', (name, each) => {
  const assets = assetsOf(each.network, []);

  test.each(assets)('D961: what is built in $symbol is decoded back to what was chosen', async (asset) => {
    const payment = paymentIn(each, asset);
    const { problem, reading } = await preview(each, payment, build(each, payment));
    expect(problem).toBeUndefined();
    expect(reading.sentence).toMatch(new RegExp(`send [\\d.]+ ${asset.symbol} (of \\S+ )?to `));
    expect(reading.sentence).toContain(each.to);
  });

  test.each(assets)('D961: a wrong builder of a payment in $symbol is found out', async (asset) => {
    const payment = paymentIn(each, asset);
    const wrong: Payment[] = [
      { ...payment, amount: payment.amount + 1n },
      { ...payment, to: each.other },
      ...assets.filter(({ id }) => id !== asset.id).map((other) => paymentIn(each, other)),
    ];
    for (const built of wrong) expect((await preview(each, payment, build(each, built))).problem).toBe('mismatch');
  });

  test('D963: a fee above the chosen one is found out, and one above the maximum is not taken', async () => {
    const asset = assets.at(-1) as PaidAsset;
    const payment = paymentIn(each, asset);
    const higher = paymentIn({ ...each, draft: { ...each.draft, ownFee: name === 'Solana' ? '0.00002' : '60' } }, asset);
    expect((await preview(each, payment, build(each, higher))).problem).toBe('mismatch');
    const { feesOf } = paymentChainOf(each.network);
    expect(feesOf({ ...emptyDraft, ...each.draft, ownFee: '501' }, asset, undefined)).toBeUndefined();
    const suggested = {
      speed: 'NORMAL',
      computeUnitPrice: '1000000000',
      energyPrice: '9000000',
      satoshisPerKilobyte: '500001',
    } as const;
    expect(feesOf({ ...emptyDraft, ...each.draft, speed: 'NORMAL' }, asset, [suggested])).toBeUndefined();
  });

  test('D984: a request for another account or network, or with more than the payment needs, is found out', async () => {
    const payment = paymentIn(each, assets[0] as PaidAsset);
    const built = build(each, payment);
    for (const altered of [{ signWith: each.other }, { caip2: 'eip155:1' }, { caip2: undefined }, { sponsor: true }]) {
      const parameters = { ...built.parameters, ...altered };
      expect((await preview(each, payment, { ...built, parameters })).problem, JSON.stringify(altered)).toBe('mismatch');
    }
    expect(
      (await preview(each, payment, { ...built, type: `${built.type}_V2` }).catch(() => ({ problem: 'mismatch' }))).problem,
    ).toBe('mismatch');
  });

  test('D962: the service cannot give a shipped asset other decimals', () => {
    const claimed = assets.map(({ id, symbol }) => ({ tokenId: 't', asset: id, symbol, decimals: 1, source: 'ORGANIZATION' }));
    expect(assetsOf(each.network, claimed as never)).toEqual(assets);
  });

  test('addresses of other chains, and that of the payer, are refused', () => {
    const asset = assets.at(-1) as PaidAsset;
    const around = { account: { address: addressOf(each.signer) }, network: each.network, asset };
    expect(receiverProblem(each.to, around)).toBeUndefined();
    expect(receiverProblem(addressOf(each.signer), around)).toBe('ownRecipient');
    if (asset.contract !== undefined) expect(receiverProblem(asset.contract, around)).toBe('contractRecipient');
    for (const foreign of Object.values(cases).filter(({ network }) => network !== each.network))
      expect(receiverProblem(foreign.to, around), foreign.to).toBe('badRecipient');
    expect(receiverProblem(`0x${'11'.repeat(20)}`, around)).toBe('badRecipient');
  });
});

describe('payments on Solana', () => {
  const each = cases.Solana as Case;
  const [sol, usdc] = assetsOf(each.network, []) as [PaidAsset, PaidAsset];
  const order = ({ from, to, amount, asset }: Payment) => ({ from, to, amount, asset: asset.id, decimals: asset.decimals });
  const sent = (payment: Payment, unsignedTransaction: string): Built => ({
    type: 'ACTIVITY_TYPE_SOL_SEND_TRANSACTION',
    parameters: { signWith: payment.from, caip2: payment.network, unsignedTransaction },
  });

  test('say that the token account of the receiver is created, and whose it is', async () => {
    const payment = paymentIn(each, usdc);
    const { reading } = await preview(each, payment, build(each, payment));
    expect(reading.sentence).toMatch(/create an account \S+ \(held by 4zvwRjXU\S+\) for 0\.00203928 SOL, send 1 USDC/);
  });

  test('D983: a transfer whose transaction does not prove the receiver is found out', async () => {
    const payment = paymentIn(each, usdc);
    expect((await preview(each, payment, sent(payment, solanaPayment(order(payment))))).problem).toBe('mismatch');
    const created = solanaPayment(order(payment), { createsAccount: true });
    expect((await preview(each, payment, sent(payment, created))).problem).toBeUndefined();
  });

  test('D982: an address that differs in upper and lower case only is another receiver', async () => {
    const to = '4zvwRjXUKGfvwnParsHAS3HuSVzV5cA4McphgmoCtajs';
    const payment = paymentIn(each, sol);
    expect(base58.decode(to)).toHaveLength(32);
    expect((await preview(each, payment, build(each, { ...payment, to }))).problem).toBe('mismatch');
  });

  test('D985: a memo is the one that was typed', async () => {
    const plain = paymentIn(each, sol);
    const payment = { ...plain, memo: 'Invoice "7"' };
    expect((await preview(each, payment, build(each, payment))).problem).toBeUndefined();
    for (const memo of ['Invoice "8"', undefined]) {
      const other = solanaPayment(order(payment), { ...(memo !== undefined && { memo }) });
      expect((await preview(each, payment, sent(payment, other))).problem).toBe('mismatch');
    }
    expect((await preview(each, plain, build(each, payment))).problem).toBe('mismatch');
  });

  test('tokens are not paid to a token account as if it was a wallet', () => {
    const account = chains.solana.effects.holdsTokensOf?.(each.to, usdc.id)[0] as string;
    const around = { account: { address: addressOf(each.signer) }, network: each.network };
    expect(receiverProblem(account, { ...around, asset: usdc })).toBe('zeroRecipient');
    expect(receiverProblem(each.to, { ...around, asset: usdc })).toBeUndefined();
    expect(receiverProblem('1'.repeat(32), { ...around, asset: sol })).toBe('zeroRecipient');
  });
});

describe('payments on Tron', () => {
  test('D985: a memo is the one that was typed', async () => {
    const each = cases.Tron as Case;
    const [trx] = assetsOf(each.network, []) as [PaidAsset];
    const plain = paymentIn(each, trx);
    const payment = { ...plain, memo: 'Invoice 7' };
    expect((await preview(each, payment, build(each, payment))).problem).toBeUndefined();
    expect((await preview(each, plain, build(each, payment))).problem).toBe('mismatch');
    const { from, to, amount } = payment;
    const order = { from, to, amount, asset: trx.id, decimals: 6 };
    const unsignedTransaction = tronPayment(order, { timestampMs: 1, feeLimit: 1n, memo: 'Invoice 8' });
    const built = build(each, payment);
    expect((await preview(each, payment, { ...built, parameters: { ...built.parameters, unsignedTransaction } })).problem).toBe(
      'mismatch',
    );
  });
});

describe('payments on Bitcoin', () => {
  const each = cases.Bitcoin as Case;
  const [btc] = assetsOf(each.network, []) as [PaidAsset];

  test('return the rest to the payer, and say so', async () => {
    const payment = paymentIn(each, btc);
    const { reading } = await preview(each, payment, build(each, payment));
    expect(reading.sentence).toMatch(
      /send 0\.01 BTC to bc1p\S+, return 4\.98\d+ BTC to the signing key on Bitcoin, network fee at most/,
    );
  });

  test('D986: change that goes to somebody else is found out', async () => {
    const payment = paymentIn(each, btc);
    const built = build(each, payment);
    const transaction = new Transaction();
    const txid = Transaction.fromRaw(hexToBytes(previous)).id;
    transaction.addInput({ txid, index: 0, nonWitnessUtxo: previous });
    transaction.addOutputAddress(payment.to, payment.amount);
    transaction.addOutputAddress(each.other, 498_999_000n);
    const psbt = Buffer.from(transaction.toPSBT(0)).toString('hex');
    const stolen = { ...built, parameters: { ...built.parameters, unsignedTransaction: psbt } };
    expect((await preview(each, payment, stolen)).problem).toBe('mismatch');
  });

  test('on a test network say that signatures name none', async () => {
    const signer = secp256k1('ADDRESS_FORMAT_BITCOIN_REGTEST_P2WPKH');
    const network = 'bip122:0f9188f13cb7b2c71f2a335e3a4fc328';
    const test = { ...each, network, signer, to: 'bcrt1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqc8gma6' };
    const payment = paymentIn(test, assetsOf(network, [])[0] as PaidAsset);
    const { problem, reading } = await preview(test, payment, build(test, payment));
    expect(problem).toBeUndefined();
    expect(reading.sentence).toContain('NOT BOUND TO ONE CHAIN');
  });
});

test('an account pays on the networks of its address, and an old one of Bitcoin on none', () => {
  expect(networksOfFormat('ADDRESS_FORMAT_SOLANA')).toEqual([cases.Solana?.network]);
  expect(networksOfFormat('ADDRESS_FORMAT_BITCOIN_SIGNET_P2TR')).toEqual(['bip122:00000008819873e925422c1ff0f99f7c']);
  expect(networksOfFormat('ADDRESS_FORMAT_BITCOIN_MAINNET_P2PKH')).toEqual([]);
  expect(networksOfFormat('ADDRESS_FORMAT_COSMOS')).toEqual([]);
  expect(networksOfFormat('ADDRESS_FORMAT_ETHEREUM')).toContain('eip155:1');
});

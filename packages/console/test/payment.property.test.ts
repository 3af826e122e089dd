import { formatUnits, shippedTokens } from '@countersign/chains';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readAmount } from '../src/pages/send/amount.ts';
import {
  feesOf,
  highestFee,
  type EthereumPayment as Payment,
  readReceiver,
  sendRequest,
  signRequest,
} from '../src/pages/send/chains/ethereum.ts';
import { receiverProblem } from '../src/pages/send/check-draft.ts';
import { isPayment as isExactly } from '../src/pages/send/check-payment.ts';
import { emptyDraft } from '../src/pages/send/draft.ts';
import { assetsOf } from '../src/pages/send/payment.ts';
import { previewOf } from '../src/pages/send/preview.ts';
import { movedDraft } from '../src/pages/send/use-draft.ts';
import { readSigning } from '../src/review/read-request.ts';
import { signedRequest } from '../src/review/sent-request.ts';

const from = '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf';
const signer = {
  curve: 'CURVE_SECP256K1',
  publicKey: '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
  addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
} as const;
const nothing = { contacts: [], tokens: [], interfaces: [] };
const networks = ['eip155:1', 'eip155:8453', 'eip155:137', 'eip155:11155111'];
const fees = { gasLimit: '150000', maxFeePerGas: '2000000000', maxPriorityFeePerGas: '1000000000' };

const receivers = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`)
  .filter((to) => ![...shippedTokens.keys()].some((id) => id.endsWith(to)));

/** Payments in every asset that the console knows. */
const payments: fc.Arbitrary<Payment> = fc
  .record({
    network: fc.constantFrom(...networks),
    at: fc.nat(),
    to: receivers,
    amount: fc.bigInt(1n, 2n ** 128n),
  })
  .map(({ network, at, to, amount }) => {
    const assets = assetsOf(network, []);
    const asset = assets[at % assets.length] as Payment['asset'];
    return { from, network, to: readReceiver(to) as string, asset, amount, fees };
  });

const isPayment = (effects: Parameters<typeof isExactly>[0], payment: Payment) =>
  isExactly(effects, payment, highestFee(payment.fees));

const effectsOf = (built: ReturnType<typeof signRequest>) => {
  const request = signedRequest({ ...built, organizationId: 'o' }, {
    intent: { any: { nonce: '0' } },
  } as unknown as Parameters<typeof signedRequest>[1]);
  return (request && readSigning(request, signer, nothing)?.effects) ?? [];
};

describe('amounts', () => {
  test('D961: are read exactly, with any number of digits', () => {
    const written = fc.record({ amount: fc.bigInt(1n, 2n ** 256n - 1n), decimals: fc.nat(30) });
    fc.assert(
      fc.property(written, ({ amount, decimals }) => {
        expect(readAmount(formatUnits(amount, decimals), decimals)).toBe(amount);
        expect(readAmount(` ${formatUnits(amount, decimals)} `, decimals + 2)).toBe(amount * 100n);
      }),
    );
  });

  test.each(['1,500', '1,5', '1 500', '.5', '5.', '-1', '+1', '1e3', '0x10', '', '١', `${'9'.repeat(79)}`])(
    'D961: %j is refused',
    (text) => {
      expect(readAmount(text, 6)).toBe('form');
    },
  );

  test('finer than the asset are refused, unless the digits are zeros', () => {
    expect(readAmount('1.0000001', 6)).toBe('precision');
    expect(readAmount('1.0000000', 6)).toBe(1_000_000n);
    expect(readAmount('0.000', 6)).toBe('zero');
  });
});

describe('payments on EVM chains', () => {
  test('D961: what is built is decoded back to what was chosen, signed or sent', () => {
    fc.assert(
      fc.property(payments, fc.bigInt(0n, 10n ** 9n), (payment, nonce) => {
        expect(isPayment(effectsOf(signRequest(payment, nonce)), payment)).toBe(true);
        expect(isPayment(effectsOf(sendRequest(payment, 'key')), payment)).toBe(true);
      }),
    );
  });

  test('D961: another amount, receiver, asset, payer or fee is no match', () => {
    fc.assert(
      fc.property(payments, (payment) => {
        const effects = effectsOf(signRequest(payment, 0n));
        const other = `0x${'99'.repeat(20)}`;
        const differing: Payment[] = [
          { ...payment, amount: payment.amount + 1n },
          { ...payment, to: other },
          { ...payment, from: other },
          { ...payment, asset: { ...payment.asset, id: `${payment.network}/erc20:${other}` } },
          { ...payment, fees: { ...fees, gasLimit: '149999' } },
        ];
        for (const each of differing) expect(isPayment(effects, each)).toBe(false);
        expect(isPayment([...effects, ...effects], payment)).toBe(false);
      }),
    );
  });

  test('D962: the service cannot give a shipped token other decimals, or its symbol to another contract', () => {
    const [, usdc] = assetsOf('eip155:1', []);
    const entry = (asset: string, symbol: string, decimals: number) => ({
      ...{ tokenId: '01890000-0000-7000-8000-000000000000', asset, symbol, decimals, source: 'ORGANIZATION' as const },
    });
    const other = `eip155:1/erc20:0x${'12'.repeat(20)}`;
    const claimed = [entry(usdc?.id ?? '', usdc?.symbol ?? '', 1), entry(other, usdc?.symbol ?? '', 6)];
    expect(assetsOf('eip155:1', claimed as never)).toEqual(assetsOf('eip155:1', []));
  });

  test('D962: a token whose decimals the log does not prove cannot be paid', async () => {
    const token = {
      ...{ tokenId: '01890000-0000-7000-8000-000000000000', asset: `eip155:1/erc20:0x${'12'.repeat(20)}` },
      ...{ symbol: 'OWNT', decimals: 2, source: 'ORGANIZATION' as const },
    };
    const asset = assetsOf('eip155:1', [token] as never).find(({ symbol }) => symbol === 'OWNT');
    const payment = { from, network: 'eip155:1', to: `0x${'34'.repeat(20)}`, asset, amount: 500n, fees } as Payment;
    const request = { ...signRequest(payment, 0n), organizationId: 'o' };
    const knowledge = { ...nothing, tokens: [token] } as never;
    const proof = { activityId: 'a', userName: 'Ann', atMs: 1 };
    const preview = (proven: boolean) =>
      previewOf(payment, request, signer, knowledge, { record: async () => (proven ? proof : undefined) } as never);
    expect((await preview(false)).problem).toBe('unprovenToken');
    const { problem, reading } = await preview(true);
    expect(problem).toBeUndefined();
    expect(reading.sentence).toContain('send 5 OWNT');
  });

  test('D963: a fee above the maximum of the console is not taken, from the service or by hand', () => {
    const [coin] = assetsOf('eip155:1', []) as [Payment['asset']];
    const suggestion = (gwei: bigint) => [
      { speed: 'NORMAL' as const, maxFeePerGas: `${gwei * 10n ** 9n}`, maxPriorityFeePerGas: '1' },
    ];
    expect(feesOf(emptyDraft, coin, suggestion(500n))?.maxFeePerGas).toBe('500000000000');
    expect(feesOf(emptyDraft, coin, suggestion(501n))).toBeUndefined();
    const typed = { ...emptyDraft, speed: 'OWN' as const, maxFee: '500.000000001', priorityFee: '1' };
    expect(feesOf(typed, coin, suggestion(1n))).toBeUndefined();
    expect(feesOf({ ...typed, maxFee: '0.5', priorityFee: '1' }, coin, undefined)).toBeUndefined();
    expect(feesOf({ ...typed, maxFee: '30.5' }, coin, undefined)).toEqual({
      ...{ gasLimit: '60000', maxFeePerGas: '30500000000', maxPriorityFeePerGas: '1000000000' },
    });
  });

  test('D1133: a gas limit that was typed before a suggested fee was chosen again does not count', () => {
    const [coin] = assetsOf('eip155:1', []) as [Payment['asset']];
    const suggestions = [{ speed: 'NORMAL' as const, maxFeePerGas: '2000000000', maxPriorityFeePerGas: '1000000000' }];
    const draft = { ...emptyDraft, gasLimit: '9000000', maxFee: '2', priorityFee: '1' };
    expect(feesOf({ ...draft, speed: 'OWN' }, coin, suggestions)?.gasLimit).toBe('9000000');
    expect(feesOf({ ...draft, speed: 'NORMAL' }, coin, suggestions)?.gasLimit).toBe('60000');
    expect(feesOf({ ...draft, speed: 'NORMAL' }, coin, undefined)?.gasLimit).toBe('9000000');
  });

  test('what is typed stays with another account, and what the network allows with another network', () => {
    const draft = { ...emptyDraft, recipient: from, amount: '1', reference: 'INV-7', nonce: '3', coins: '00', maxFee: '20' };
    expect(movedDraft(draft, 'eip155:1', 'eip155:1')).toEqual({ ...draft, nonce: '', coins: '' });
    const there = { ...emptyDraft, reference: 'INV-7' };
    expect(movedDraft(draft, 'eip155:1', 'eip155:137')).toEqual({ ...there, recipient: from });
    expect(movedDraft(draft, 'eip155:1', 'tron:0x2b6653dc')).toEqual(there);
  });

  test('addresses that lose the payment are refused', () => {
    const [coin, token] = assetsOf('eip155:1', []) as [Payment['asset'], Payment['asset']];
    const problem = (text: string, asset = coin) =>
      receiverProblem(text, { account: { address: from }, network: 'eip155:1', asset });
    expect(problem('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')).toBeUndefined();
    expect(problem('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD')).toBe('badRecipient');
    expect(problem('TJRabPrwbZy45sbavfcjinPJC18kjpRTv8')).toBe('badRecipient');
    expect(problem(`0x${'0'.repeat(40)}`)).toBe('zeroRecipient');
    expect(problem(token.contract ?? '', token)).toBe('contractRecipient');
    expect(problem(from.toLowerCase())).toBe('ownRecipient');
  });
});

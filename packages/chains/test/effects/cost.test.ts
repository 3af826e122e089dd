import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { costOf } from '../../src/effects/cost.ts';
import type { Asset, Effect } from '../../src/effects/effect.ts';
import { effectView } from '../../src/effects/effect-view.ts';

const eth: Asset = { id: 'eip155:1/slip44:60', kind: 'COIN', symbol: 'ETH', decimals: 18 };
const sol: Asset = { id: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/slip44:501', kind: 'COIN', symbol: 'SOL', decimals: 9 };
const btc: Asset = { id: 'bip122:000000000019d6689c085ae165831e93/slip44:0', kind: 'COIN', symbol: 'BTC', decimals: 8 };
const token: Asset = { id: 'eip155:1/erc20:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', kind: 'TOKEN' };
const self = 'me';

const fee = (amount?: bigint, asset = eth): Effect => ({
  kind: 'FEE',
  asset,
  from: self,
  ...(amount !== undefined && { amount }),
});
const send = (amount?: bigint, asset = eth, from = self, to = 'other'): Effect => ({
  kind: 'TRANSFER',
  asset,
  from,
  to,
  ...(amount !== undefined && { amount }),
});
const call: Effect = { kind: 'CALL', what: 'swap', to: 'c' };
const unknown: Effect = { kind: 'UNKNOWN', what: 'unknown call', bytes: 4 };

describe('D83: a cost is a true upper bound, or it is absent', () => {
  test.each<[string, readonly Effect[], ReturnType<typeof costOf>]>([
    ['no fee is listed', [send(5n)], {}],
    ['nothing at all is listed', [], {}],
    ['a fee whose amount nobody knows', [fee(), send(5n)], {}],
    ['fees in two coins', [fee(1n), fee(1n, sol)], {}],
    ['a fee alone', [fee(7n)], { maxFee: 7n, maxCost: 7n }],
    ['several fees add up', [fee(7n), fee(5n)], { maxFee: 12n, maxCost: 12n }],
    ['coins of the signer count', [fee(7n), send(5n), send(6n)], { maxFee: 7n, maxCost: 18n }],
    ['tokens do not', [fee(7n), send(5n, token)], { maxFee: 7n, maxCost: 7n }],
    ['nor coins of somebody else', [fee(7n), send(5n, eth, 'you')], { maxFee: 7n, maxCost: 7n }],
    ['nor what the signer sends to itself', [fee(7n), send(5n, eth, self, self)], { maxFee: 7n, maxCost: 7n }],
    ['a transfer of an unknown amount', [fee(7n), send()], { maxFee: 7n }],
    ['an unknown effect', [fee(7n), unknown], { maxFee: 7n }],
    ['a call on Ethereum takes no more than its value', [fee(7n), send(1n), call], { maxFee: 7n, maxCost: 8n }],
    ['data on Bitcoin takes nothing', [fee(7n, btc), { ...call }], { maxFee: 7n, maxCost: 7n }],
    ['a call on Solana may take anything', [fee(7n, sol), call], { maxFee: 7n }],
    [
      'a new account counts',
      [fee(7n, sol), { kind: 'CREATE', what: 'ACCOUNT', asset: sol, amount: 3n, from: self }],
      { maxFee: 7n, maxCost: 10n },
    ],
    [
      'a new account of unknown cost',
      [fee(7n, sol), { kind: 'CREATE', what: 'ACCOUNT', asset: sol, from: self }],
      { maxFee: 7n },
    ],
    ['inputs of any address count on Bitcoin', [fee(7n, btc), send(5n, btc, 'input')], { maxFee: 7n, maxCost: 12n }],
  ])('%s', (_, effects, expected) => {
    expect(costOf(effects, self)).toEqual(expected);
  });

  test('without a known signer every transfer counts', () => {
    expect(costOf([fee(7n), send(5n, eth, 'you')])).toEqual({ maxFee: 7n, maxCost: 12n });
  });

  test('one more effect never makes a transaction cheaper', () => {
    const amount = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
    const effect = fc.oneof(
      amount.map((each) => fee(each)),
      amount.map((each) => send(each)),
      fc.constantFrom(call, unknown, send()),
    );
    fc.assert(
      fc.property(fc.array(effect, { maxLength: 6 }), effect, (effects, more) => {
        const [before, after] = [costOf([fee(1n), ...effects], self), costOf([fee(1n), ...effects, more], self)];
        if (after.maxCost !== undefined) expect(after.maxCost).toBeGreaterThanOrEqual(before.maxCost as bigint);
        if (after.maxFee !== undefined) expect(after.maxFee).toBeGreaterThanOrEqual(before.maxFee as bigint);
      }),
    );
  });
});

describe('effects as policies see them', () => {
  test('what a kind of effect never has is empty', () => {
    expect(effectView(fee(7n))).toMatchObject({ kind: 'FEE', amount: 7n, symbol: 'ETH', to: '', unlimited: false });
    expect(effectView({ kind: 'REPLAYABLE', what: 'no chain id' })).toMatchObject({ from: '', to: '', asset: '', symbol: '' });
  });

  test('D83: what the bytes do not tell is absent', () => {
    expect(effectView(send(undefined, token))).not.toHaveProperty('amount');
    expect(effectView(send(1n, token))).not.toHaveProperty('symbol');
    expect(effectView({ kind: 'CREATE', what: 'ACCOUNT', asset: token, from: self })).not.toHaveProperty('symbol');
    for (const opaque of [call, unknown]) expect(effectView(opaque)).not.toHaveProperty('unlimited');
    expect(Object.keys(effectView(unknown))).toEqual(['kind', 'what', 'bytes']);
  });

  test('a receiver controls itself, except on Solana', () => {
    expect(effectView(send(1n, token))).toMatchObject({ to: 'other', owner: 'other' });
    expect(effectView(send(1n, sol))).not.toHaveProperty('owner');
    expect(effectView(fee(1n))).toMatchObject({ owner: '' });
  });
});

import { coinOfToken, tokensOfCoin } from '@countersign/chains';
import { countOf, countsOf, type VelocityControlRecord } from '@countersign/judgement';
import { describe, expect, test } from 'vitest';
import { control, ETH, holding, paying, signing, transfer } from '../support/controls-world.ts';

const WETH = 'eip155:1/erc20:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';
const SOL = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/slip44:501';
const WSOL = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:So11111111111111111111111111111111111111112';
const FREE = 'VELOCITY_CONTROL_OTHER_ASSETS_FREE' as const;

const coin = (caip19: string, rules?: 2, more: readonly { caip19: string; decimals: string; rate?: string }[] = []) => {
  const decimals = caip19 === SOL ? '9' : '18';
  const dataSource = { chainAssetTransfer: { definition: [{ caip19, decimals }, ...more], otherAssets: FREE } };
  return control({ dataSource, ...(rules && { rules }) });
};
const counted = (of: VelocityControlRecord, asset: string, amount: bigint | undefined) =>
  countOf(signing(holding({ c: of }), paying([transfer(amount, undefined, asset)])), 'c');
const amount = (of: VelocityControlRecord, asset: string, units: bigint) => counted(of, asset, units)?.counts[0]?.amount;

describe('wrapped coins', () => {
  test('D482: a wrapped coin counts as the coin, on every chain of the table', () => {
    for (const token of [ETH, SOL, 'eip155:8453/slip44:60', 'eip155:42220/slip44:60', 'tron:0x2b6653dc/slip44:195'].flatMap(
      tokensOfCoin,
    )) {
      const of = coinOfToken(token) as string;
      const decimals = of.startsWith('solana') ? 9n : of.startsWith('tron') ? 6n : 18n;
      const definition = [{ caip19: of, decimals: String(decimals) }];
      const limit = control({ dataSource: { chainAssetTransfer: { definition } }, rules: 2 });
      expect(amount(limit, token, 5_000n * 10n ** decimals), token).toBe(5_000n * 10n ** 18n);
    }
    expect(amount(coin(ETH), WETH, 10n ** 18n), 'before').toBe(0n);
    expect(amount(coin(ETH, 2), 'eip155:10/erc20:0x4200000000000000000000000000000000000006', 10n ** 18n)).toBe(0n);
  });

  test('D482: an executed request counts in the limit on the coin, and a listed wrapped coin has its own rate', () => {
    const request = signing(holding({ c: coin(SOL, 2) }), paying([transfer(10n ** 9n, undefined, WSOL)]));
    expect(countsOf(request).map(({ counts }) => counts.map((each) => each.amount))).toEqual([[10n ** 18n]]);
    const both = coin(ETH, 2, [{ caip19: WETH, decimals: '18', rate: '3' }]);
    expect(amount(both, WETH, 10n ** 18n)).toBe(3n * 10n ** 18n);
  });

  test('D482: the coin does not count in a limit that lists the wrapped coin only', () => {
    expect(amount(coin(WETH, 2), ETH, 10n ** 18n)).toBe(0n);
  });

  test('D488: a token that the transaction does not name may be the wrapped coin', () => {
    const untold = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:unknown';
    expect(counted(coin(SOL), untold, 1n)?.unread, 'before').toBe(undefined);
    expect(counted(coin(SOL, 2), untold, 1n)?.unread).toContain('any amount');
    expect(counted(coin(ETH, 2), untold, 1n)?.unread).toBe(undefined);
  });
});

describe('payments without a chain id', () => {
  const chainless = 'eip155:0/slip44:60';

  test('D484: a payment without a chain id counts on every chain of a limit', () => {
    const two = coin(ETH, 2, [{ caip19: 'eip155:10/slip44:60', decimals: '18' }]);
    expect(amount(two, chainless, 10n ** 18n)).toBe(2n * 10n ** 18n);
    expect(amount(coin(ETH), chainless, 10n ** 18n), 'before').toBe(0n);
    const request = signing(holding({ c: coin(ETH, 2), d: coin(SOL, 2) }), paying([transfer(10n ** 18n, undefined, chainless)]));
    expect(countsOf(request).map(({ controlId, counts }) => [controlId, counts[0]?.amount])).toEqual([['c', 10n ** 18n]]);
  });

  test('D484: so does a token, also a wrapped coin', () => {
    const token = `eip155:0/${WETH.split('/')[1]}`;
    expect(amount(coin(ETH, 2), token, 10n ** 18n)).toBe(10n ** 18n);
    expect(amount(coin('eip155:10/slip44:60', 2), token, 10n ** 18n)).toBe(0n);
  });
});

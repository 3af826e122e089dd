import { describe, expect, test } from 'vitest';
import { conflictWithShipped, withOwnTokens } from '../../src/index.ts';
import { encode, friend, send, stranger, usdc } from '../ethereum/effects/support.ts';

const wbtc = '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599';
const dai = '0x6b175474e89094c44da98b954eedeac495271d0f';
const on = (network: string, asset: string) => `${network}/${asset}`;

/** What a transfer reads as in an organization with one entry of its own. */
function transferWith(contract: string, amount: bigint, entry: { symbol: string; decimals: number }, asset = contract) {
  const tokens = withOwnTokens((id) => (id === `eip155:1/erc20:${asset}` ? entry : undefined));
  const data = encode('function transfer(address to, uint256 value)', [friend, amount]);
  return send({ to: contract, data }, { tokens });
}

describe('D455: shipped tokens cannot be redefined', () => {
  test.each([
    ['USDC with 18 decimals', usdc, 10n ** 12n, { symbol: 'USDC', decimals: 18 }, 'send 1,000,000 USDC to'],
    ['WBTC named USDC', wbtc, 250n * 10n ** 8n, { symbol: 'USDC', decimals: 6 }, 'send 250 WBTC to'],
    ['DAI named ETH', dai, 10n ** 18n, { symbol: 'ETH', decimals: 18 }, 'send 1 DAI to'],
  ])('%s: the shipped entry wins', (_, contract, amount, entry, expected) => {
    const { description, effects } = transferWith(contract, amount, entry);
    expect(description).toContain(expected);
    expect(effects[0]).not.toHaveProperty('asset.definedBy');
  });

  test.each([
    ['the same standard', on('eip155:1', `erc20:${usdc}`)],
    ['another standard', on('eip155:1', `erc721:${usdc}`)],
    ['Solana', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'],
    ['Tron', 'tron:0x2b6653dc/trc20:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
  ])('under %s', (_, asset) => {
    expect(conflictWithShipped(asset, 'FOO')).toMatchObject({ kind: 'ASSET' });
  });
});

describe('D456: symbols of shipped tokens and coins cannot be imitated', () => {
  const token = `erc20:${stranger}`;

  test.each(['USDC', 'usdc', 'UsDc', 'ETH', 'eth', 'L1NK', 'LlNK', 'link', 'PEPE'])('%s on Ethereum', (symbol) => {
    expect(conflictWithShipped(on('eip155:1', token), symbol)).toMatchObject({ kind: 'SYMBOL' });
  });

  test.each([
    ['eip155:137', 'POL'],
    ['eip155:137', 'USDT0'],
    ['eip155:137', 'USDTO'],
    ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', 'S0L'],
    ['tron:0x2b6653dc', 'trx'],
  ])('on %s: %s', (network, symbol) => {
    expect(conflictWithShipped(on(network, token), symbol)).toMatchObject({ kind: 'SYMBOL' });
  });

  test.each([
    ['eip155:1', 'FOO'],
    ['eip155:1', 'USDX'],
    // Shipped on other networks only.
    ['eip155:1', 'POL'],
    ['eip155:424242', 'USDC'],
  ])('another symbol is accepted: %s %s', (network, symbol) => {
    expect(conflictWithShipped(on(network, token), symbol)).toBeUndefined();
  });

  test('an entry that is stored already does not count', () => {
    const { description, effects, fullyParsed } = transferWith(stranger, 5n, { symbol: 'USDC', decimals: 6 });
    expect(description).toContain('send 5 base units of the token 0x6666666666666666666666666666666666666666 to');
    expect(effects[0]).not.toHaveProperty('asset.symbol');
    expect(fullyParsed).toBe(false);
  });
});

describe("D457: a token of the organization's list is shown with its contract", () => {
  test('in transfers', () => {
    const { description, fullyParsed } = transferWith(stranger, 1_000_000_000n, { symbol: 'FOO', decimals: 6 });
    expect(description).toContain('send 1,000 FOO (0x6666666666666666666666666666666666666666) to 0x3535');
    expect(fullyParsed).toBe(true);
  });

  test('a shipped token goes without', () => {
    const { description } = transferWith(usdc, 1_000_000n, { symbol: 'FOO', decimals: 6 }, stranger);
    expect(description).toContain('send 1 USDC to 0x3535');
  });

  test('pieces and collections', () => {
    const tokens = withOwnTokens((id) => (id === `eip155:1/erc721:${stranger}` ? { symbol: 'ART', decimals: 0 } : undefined));
    const safe = 'function safeTransferFrom(address from, address to, uint256 tokenId)';
    const from = '0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f';
    const piece = send({ to: stranger, data: encode(safe, [from, friend, 7n]) }, { tokens });
    expect(piece.description).toContain('send 1 ART (0x6666666666666666666666666666666666666666) no. 7 to');
    const all = encode('function setApprovalForAll(address operator, bool approved)', [friend, true]);
    expect(send({ to: stranger, data: all }, { tokens }).description).toContain(
      'SPEND UNLIMITED ART (0x6666666666666666666666666666666666666666) on Ethereum',
    );
    expect(send({ to: stranger, data: all }).description).toContain('UNLIMITED amounts of the collection 0x6666');
  });
});

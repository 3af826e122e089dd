import { describe, expect, test } from 'vitest';
import { toChecksumAddress } from '../../src/addresses/ethereum.ts';
import { deployments, roleOf } from '../../src/ethereum/calls/known-contracts.ts';
import { ethereumTokens } from '../../src/ethereum/tokens.ts';
import { addressFormats, defaultTokens } from '../../src/index.ts';

const rows = Object.entries(ethereumTokens).flatMap(([chainId, tokens]) => tokens.map((token) => [chainId, ...token] as const));

describe('the tokens that the service ships', () => {
  test.each(rows)('chain %s: %s at %s has its EIP-55 checksum and is found', (chainId, symbol, address, decimals) => {
    expect(toChecksumAddress(address.toLowerCase())).toBe(address);
    expect(defaultTokens(`eip155:${chainId}/erc20:${address.toLowerCase()}`)).toEqual({ symbol, decimals });
  });

  test('D68: no contract and no symbol is listed twice on a chain', () => {
    for (const [chainId, tokens] of Object.entries(ethereumTokens)) {
      expect(new Set(tokens.map(([, address]) => address.toLowerCase())).size, chainId).toBe(tokens.length);
      expect(new Set(tokens.map(([symbol]) => symbol)).size, chainId).toBe(tokens.length);
    }
  });

  test('those of Solana and Tron have valid addresses', () => {
    const usdc = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
    expect(addressFormats.ADDRESS_FORMAT_SOLANA.parse(usdc)).toHaveLength(32);
    expect(defaultTokens(`solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:${usdc}`)).toEqual({ symbol: 'USDC', decimals: 6 });
    const usdt = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
    expect(addressFormats.ADDRESS_FORMAT_TRON.parse(usdt)).toHaveLength(20);
    expect(defaultTokens(`tron:0x2b6653dc/trc20:${usdt}`)).toEqual({ symbol: 'USDT', decimals: 6 });
  });

  test('D68: a token on another chain, or of another standard, is unknown', () => {
    const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
    for (const id of [`eip155:10/erc20:${usdc}`, `eip155:1/erc721:${usdc}`, usdc, '']) expect(defaultTokens(id)).toBeUndefined();
  });
});

describe('the contracts that the service knows', () => {
  test.each(deployments)('$role at $address has its EIP-55 checksum', ({ address, role, chains }) => {
    expect(toChecksumAddress(address.toLowerCase())).toBe(address);
    for (const chainId of chains) expect(roleOf(BigInt(chainId), address.toLowerCase())).toBe(role);
    expect(roleOf(424_242n, address.toLowerCase())).toBeUndefined();
    expect(roleOf(undefined, address.toLowerCase())).toBeUndefined();
  });

  test('D68: no address has two roles on one chain', () => {
    const places = deployments.flatMap(({ address, chains }) => chains.map((chainId) => `${chainId}:${address}`));
    expect(new Set(places).size).toBe(places.length);
  });
});

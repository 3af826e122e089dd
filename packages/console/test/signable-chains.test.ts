import { describe, expect, test } from 'vitest';
import { signableChains } from '../src/pages/sign/signable-chains.ts';

const offered = (addressFormat: string, curve: string) =>
  signableChains({ addressFormat, curve } as Parameters<typeof signableChains>[0]).map(({ id }) => id);

describe('the sign page offers the transactions of the account', () => {
  test.each([
    ['ADDRESS_FORMAT_ETHEREUM', 'CURVE_SECP256K1', ['ethereum']],
    ['ADDRESS_FORMAT_TRON', 'CURVE_SECP256K1', ['tron']],
    ['ADDRESS_FORMAT_SOLANA', 'CURVE_ED25519', ['solana']],
    ['ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH', 'CURVE_SECP256K1', []],
    ['ADDRESS_FORMAT_XRP', 'CURVE_SECP256K1', []],
    ['ADDRESS_FORMAT_COMPRESSED', 'CURVE_SECP256K1', ['ethereum', 'tron']],
    ['ADDRESS_FORMAT_COMPRESSED', 'CURVE_ED25519', ['solana']],
  ])('%s with %s', (format, curve, chains) => {
    expect(offered(format, curve)).toEqual(chains);
  });
});

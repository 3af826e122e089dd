import { describe, expect, test } from 'vitest';
import { addressFormatIds, addressFormats, deriveKey, encodeAddress, mnemonicToSeed } from '../../src/index.ts';
import { mnemonics, vectors } from './corpus.ts';
import { oracles } from './oracles.ts';

const seeds = new Map<string, Uint8Array>();
for (const [name, mnemonic] of Object.entries(mnemonics)) seeds.set(name, await mnemonicToSeed(mnemonic));

/** The vectors that other implementations of this interface publish or agree on, written out so that the corpus cannot drift from them. */
const reference: readonly (readonly [format: string, path: string, address: string])[] = [
  ['ETHEREUM', "m/44'/60'/0'/0/0", '0x9858EfFD232B4033E47d90003D41EC34EcaEda94'],
  ['COSMOS', "m/44'/118'/0'/0/0", 'cosmos19rl4cm2hmr8afy4kldpxz3fka4jguq0auqdal4'],
  ['SEI', "m/44'/118'/0'/0/0", 'sei19rl4cm2hmr8afy4kldpxz3fka4jguq0a3vute5'],
  ['TRON', "m/44'/195'/0'/0/0", 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH'],
  ['XRP', "m/44'/144'/0'/0/0", 'rHsMGQEkVNJmpGWs8XUBoTBiAAbwxZN5v3'],
  ['DOGE_MAINNET', "m/44'/3'/0'/0/0", 'DBus3bamQjgJULBJtYXpEzDWQRwF5iwxgC'],
  ['DOGE_TESTNET', "m/44'/1'/0'/0/0", 'nZVmfmUtKPmskB9Ds4P9GUJy9eYFqPKHqH'],
  ['BITCOIN_MAINNET_P2PKH', "m/44'/0'/0'/0/0", '1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA'],
  ['COMPRESSED', "m/44'/0'/0'/0/0", '03aaeb52dd7494c361049de67cc680e83ebcbbbdbeb13637d92cd845f70308af5e'],
  ['BITCOIN_MAINNET_P2SH', "m/49'/0'/0'/0/0", '37VucYSaXLCAsxYyAPfbSi9eh4iEcbShgf'],
  ['BITCOIN_MAINNET_P2WPKH', "m/84'/0'/0'/0/0", 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu'],
  ['BITCOIN_MAINNET_P2WSH', "m/48'/0'/0'/2'/0/0", 'bc1q9ar96k2zh9j5xf8vewfzgr7tvtl0x089gaagvucq74er953jayrsw58h7a'],
  ['BITCOIN_MAINNET_P2TR', "m/86'/0'/0'/0/0", 'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr'],
  ['SOLANA', "m/44'/501'/0'/0'", 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk'],
  ['SUI', "m/44'/784'/0'/0'/0'", '0x5e93a736d04fbb25737aa40bee40171ef79f65fae833749e3c089fe7cc2161f1'],
  ['APTOS', "m/44'/637'/0'/0'/0'", '0xeb663b681209e7087d681c5d3eed12aaa8e1915e7c87794542c3f96e94b3d3bf'],
  ['XLM', "m/44'/148'/0'", 'GB3JDWCQJCWMJ3IILWIGDTQJJC5567PGVEVXSCVPEQOTDN64VJBDQBYX'],
  ['TON_V3R2', "m/44'/607'/0'/0'/0'", 'EQC4_unJ-jlbLt-3UO46cvKkyYI2-5LT9ZI3OpAvda2MpnfO'],
  ['TON_V4R2', "m/44'/607'/0'/0'/0'", 'EQDxAUFadQXDd3EXGa3TLF_EF66gMc9h3_aZ0j0zXNoIYR1Z'],
];

test('every format has six vectors or more', () => {
  for (const id of addressFormatIds) expect(vectors.filter(({ format }) => format === id).length, id).toBeGreaterThanOrEqual(6);
});

test.each(reference)('the corpus has the reference address of %s at %s', (format, path, address) => {
  const mnemonic = 'abandon';
  expect(vectors).toContainEqual(expect.objectContaining({ format: `ADDRESS_FORMAT_${format}`, mnemonic, path, address }));
});

describe.each(addressFormatIds)('%s', (id) => {
  const own = vectors.filter(({ format }) => format === id);

  test.each(own)('$mnemonic at $path is $address', ({ format, curve, mnemonic, path, publicKey, address }) => {
    const key = deriveKey({ seed: seeds.get(mnemonic) ?? new Uint8Array(), curve, path });
    expect(Buffer.from(key.publicKey).toString('hex')).toBe(publicKey);
    expect(encodeAddress(format, curve, key.publicKey)).toBe(address);
    expect(oracles[format](key.publicKey, curve)).toBe(address);
    expect(addressFormats[format].normalize(address)).toBe(address);
  });

  test('its default path is that of the first account', () => {
    const { defaultPath, curves } = addressFormats[id];
    for (const curve of curves) {
      expect(() => deriveKey({ seed: new Uint8Array(64), curve, path: defaultPath }), curve).not.toThrow();
    }
    // The two generic formats belong to no network, so no wallet has a path for them.
    if (curves.length === 1) expect(own[0]?.path).toBe(defaultPath);
  });
});

import { defineAddressFormat } from './address-format.ts';
import { base58CheckEncoding, hash160 } from './encodings.ts';

/** Dogecoin P2PKH on the main network. */
export const dogeMainnet = defineAddressFormat({
  id: 'ADDRESS_FORMAT_DOGE_MAINNET',
  curves: ['CURVE_SECP256K1'],
  defaultPath: "m/44'/3'/0'/0/0",
  payload: (key) => hash160(key.compressed),
  ...base58CheckEncoding(0x1e),
});

/** Dogecoin P2PKH on the test network. SLIP-44 gives every test network coin type 1. */
export const dogeTestnet = defineAddressFormat({
  id: 'ADDRESS_FORMAT_DOGE_TESTNET',
  curves: ['CURVE_SECP256K1'],
  defaultPath: "m/44'/1'/0'/0/0",
  payload: (key) => hash160(key.compressed),
  ...base58CheckEncoding(0x71),
});

import { defineAddressFormat } from './address-format.ts';
import { bech32Encoding, hash160 } from './encodings.ts';

/** Cosmos Hub: Bech32 with prefix `cosmos` of RIPEMD-160(SHA-256(compressed key)). */
export const cosmos = defineAddressFormat({
  id: 'ADDRESS_FORMAT_COSMOS',
  curves: ['CURVE_SECP256K1'],
  defaultPath: "m/44'/118'/0'/0/0",
  payload: (key) => hash160(key.compressed),
  ...bech32Encoding('cosmos', 20),
});

/** Sei: the Cosmos rule with prefix `sei`. */
export const sei = defineAddressFormat({
  id: 'ADDRESS_FORMAT_SEI',
  curves: ['CURVE_SECP256K1'],
  defaultPath: "m/44'/118'/0'/0/0",
  payload: (key) => hash160(key.compressed),
  ...bech32Encoding('sei', 20),
});

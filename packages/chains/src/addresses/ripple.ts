import { base58xrp } from '@scure/base';
import { defineAddressFormat } from './address-format.ts';
import { base58CheckEncoding, hash160 } from './encodings.ts';

/** XRP Ledger classic address: Base58Check with Ripple's alphabet, version 0, RIPEMD-160(SHA-256(compressed key)). */
export const ripple = defineAddressFormat({
  id: 'ADDRESS_FORMAT_XRP',
  curves: ['CURVE_SECP256K1'],
  defaultPath: "m/44'/144'/0'/0/0",
  payload: (key) => hash160(key.compressed),
  ...base58CheckEncoding(0x00, base58xrp),
});

import { base58 } from '@scure/base';
import { defineAddressFormat } from './address-format.ts';
import { requireLength } from './encodings.ts';

/** Solana: Base58 of the 32-byte ed25519 key, without a checksum. */
export const solana = defineAddressFormat({
  id: 'ADDRESS_FORMAT_SOLANA',
  curves: ['CURVE_ED25519'],
  defaultPath: "m/44'/501'/0'/0'",
  payload: (key) => key.compressed,
  print: base58.encode,
  read: (text) => requireLength(base58.decode(text), 32),
});

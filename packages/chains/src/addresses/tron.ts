import { defineAddressFormat } from './address-format.ts';
import { base58CheckEncoding } from './encodings.ts';
import { accountId } from './ethereum.ts';

/** Tron: Base58Check of 0x41 and the last 20 bytes of Keccak-256 of the uncompressed key without its 0x04. */
export const tron = defineAddressFormat({
  id: 'ADDRESS_FORMAT_TRON',
  curves: ['CURVE_SECP256K1'],
  defaultPath: "m/44'/195'/0'/0/0",
  payload: accountId,
  ...base58CheckEncoding(0x41),
});

import { concatBytes } from '@noble/hashes/utils.js';
import { base32 } from '@scure/base';
import { defineAddressFormat } from './address-format.ts';
import { crc16 } from './crc16.ts';
import { requireLength } from './encodings.ts';

/** SEP-23: version byte of an ed25519 account, which makes the text begin with G. */
const ACCOUNT_VERSION = 6 << 3;

function checksumOf(body: Uint8Array): Uint8Array {
  const crc = crc16(body);
  return Uint8Array.of(crc & 0xff, crc >> 8);
}

/** Stellar StrKey (SEP-23): Base32 of version byte, key and CRC-16 in little-endian order. */
export const stellar = defineAddressFormat({
  id: 'ADDRESS_FORMAT_XLM',
  curves: ['CURVE_ED25519'],
  defaultPath: "m/44'/148'/0'",
  payload: (key) => key.compressed,
  print(payload) {
    const body = concatBytes(Uint8Array.of(ACCOUNT_VERSION), payload);
    return base32.encode(concatBytes(body, checksumOf(body)));
  },
  read(text) {
    const bytes = requireLength(base32.decode(text), 35);
    const body = bytes.subarray(0, 33);
    const [low, high] = checksumOf(body);
    if (bytes[0] !== ACCOUNT_VERSION || bytes[33] !== low || bytes[34] !== high) throw new Error('bad version or checksum');
    return body.slice(1);
  },
});

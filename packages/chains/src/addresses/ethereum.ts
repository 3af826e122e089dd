import { keccak_256 } from '@noble/hashes/sha3.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { hex } from '@scure/base';
import { ChainError } from '../errors.ts';
import { toHex } from '../shared/bytes.ts';
import { Memo } from '../shared/memo.ts';
import { defineAddressFormat } from './address-format.ts';
import { type PublicKey, parsePublicKey } from './public-key.ts';

const SHAPE = /^0[xX]([0-9a-fA-F]{40})$/;
const OPTIONAL_PREFIX = /^(?:0[xX])?([0-9a-fA-F]{40})$/;

const accountIds = new WeakMap<PublicKey, Uint8Array>();

/** The 20-byte account id of EVM chains: the last 20 bytes of Keccak-256 of the uncompressed key without its 0x04. */
export function accountId(key: PublicKey): Uint8Array {
  const known = accountIds.get(key) ?? keccak_256(key.uncompressed.subarray(1)).slice(12);
  accountIds.set(key, known);
  return known.slice();
}

/** Addresses that were printed lately, by their lower-case digits. The same few are read again and again. */
const printed = new Map<string, string>();
const MAX_PRINTED = 4096;

/** EIP-55: a letter is upper case where the matching nibble of the lower-case text's hash is 8 or more. */
function checksummed(account: Uint8Array): string {
  const digits = hex.encode(account);
  const known = printed.get(digits);
  if (known !== undefined) return known;
  const hash = hex.encode(keccak_256(utf8ToBytes(digits)));
  const text = `0x${[...digits].map((digit, i) => (hash.charAt(i) >= '8' ? digit.toUpperCase() : digit)).join('')}`;
  if (printed.size >= MAX_PRINTED) printed.clear();
  printed.set(digits, text);
  return text;
}

/**
 * Ethereum: 0x and 40 hex digits with the EIP-55 checksum.
 * Also reads all lower and all upper case. Mixed case must carry the right checksum.
 */
export const ethereum = defineAddressFormat({
  id: 'ADDRESS_FORMAT_ETHEREUM',
  curves: ['CURVE_SECP256K1'],
  defaultPath: "m/44'/60'/0'/0/0",
  payload: accountId,
  print: checksummed,
  read(text) {
    const digits = SHAPE.exec(text)?.[1];
    if (digits === undefined) throw new Error('another shape');
    return readDigits(digits);
  },
});

/** The account id of 40 hex digits. Throws if mixed case has a wrong checksum. */
function readDigits(digits: string): Uint8Array {
  const account = hex.decode(digits.toLowerCase());
  const oneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  // SECURITY: mixed case claims a checksum, so a wrong one means a mistyped address.
  if (!oneCase && checksummed(account) !== `0x${digits}`) throw new Error('bad checksum');
  return account;
}

/**
 * The one form in which policies compare addresses: `0x` and 40 lower-case digits.
 * Takes lower, upper or EIP-55 case, with `0x`, `0X` or no prefix. Throws ChainError INVALID_ADDRESS for anything else,
 * including mixed case that fails the EIP-55 checksum: such an address is mistyped.
 */
export function normalizeEthereumAddress(text: string): string {
  const digits = OPTIONAL_PREFIX.exec(text)?.[1];
  if (digits === undefined) {
    throw new ChainError('INVALID_ADDRESS', 'an Ethereum address is 0x and 40 hexadecimal digits');
  }
  try {
    return toHex(readDigits(digits));
  } catch {
    // With this shape, only the checksum can be wrong.
    throw new ChainError(
      'INVALID_ADDRESS',
      `the address 0x${digits} does not match its EIP-55 checksum: a character was mistyped`,
    );
  }
}

/** Checksums already made. Each costs a hash, and most transactions go to addresses that were seen before. */
const checksums = new Memo<string>(10_000);

/** The EIP-55 form of a lower-case address, for people to read. */
export function toChecksumAddress(address: string): string {
  return checksums.get(address, () => ethereum.normalize(address));
}

/** The lower-case address of a secp256k1 public key. Throws ChainError INVALID_PUBLIC_KEY. */
export function ethereumAddressOf(publicKey: Uint8Array): string {
  return toHex(accountId(parsePublicKey('CURVE_SECP256K1', publicKey)));
}

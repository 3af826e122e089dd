import { accountId, ethereum } from '../addresses/ethereum.ts';
import { parsePublicKey } from '../addresses/public-key.ts';
import { ChainError } from '../errors.ts';
import { toHex, withoutPrefix } from '../shared/bytes.ts';
import { Memo } from '../shared/memo.ts';

/**
 * The one form in which policies compare addresses: `0x` and 40 lower-case digits.
 * Takes lower, upper or EIP-55 case, with `0x`, `0X` or no prefix. Throws ChainError INVALID_ADDRESS for anything else,
 * including mixed case that fails the EIP-55 checksum: such an address is mistyped.
 */
export function normalizeEthereumAddress(text: string): string {
  const digits = withoutPrefix(text);
  if (!/^[0-9a-fA-F]{40}$/.test(digits)) {
    throw new ChainError('INVALID_ADDRESS', 'an Ethereum address is 0x and 40 hexadecimal digits');
  }
  try {
    return toHex(ethereum.parse(`0x${digits}`));
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

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { base58, bech32, bech32m, createBase58check } from '@scure/base';

const base58check = createBase58check(sha256);

/** How each chain writes the bytes that its transactions contain for an address, in hexadecimal. */
const readers: { readonly [chain: string]: (text: string) => string } = {
  ethereum: (text) => text.replace(/^0x/i, '').toLowerCase(),
  solana: (text) => bytesToHex(base58.decode(text)),
  // The prefix 0x41 is part of transactions, but call data has only the other 20 bytes.
  tron: (text) => bytesToHex(base58check.decode(text).subarray(1)),
  bitcoin: witnessProgram,
};

/**
 * The bytes that a transaction of a chain contains for an address, in hexadecimal. Undefined unless the text is an address of that chain that
 * stands for such bytes.
 */
export function addressBytes(chain: string, address: string): string | undefined {
  try {
    const hex = readers[chain]?.(address);
    return hex !== undefined && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(hex) ? hex : undefined;
  } catch {
    // The decoders of other formats throw plain errors.
    return undefined;
  }
}

/** BIP-173 and BIP-350: the program of a segregated witness address. */
function witnessProgram(text: string): string {
  const decoder = /^(?:bc|tb|bcrt)1q/i.test(text) ? bech32 : bech32m;
  const { words } = decoder.decode(text as `${string}1${string}`);
  return bytesToHex(decoder.fromWords(words.slice(1)));
}

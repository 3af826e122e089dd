import { createHash, pbkdf2, randomFillSync } from 'node:crypto';
import { promisify } from 'node:util';
import { type MnemonicLength, mnemonicLengths } from '@countersign/chains';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { Secret } from './secret.ts';

const SEED_BYTES = 64;
const stretch = promisify(pbkdf2);

/** Whether BIP-39 knows recovery phrases of this many words. */
export function isMnemonicLength(words: number): words is MnemonicLength {
  return mnemonicLengths.some((length) => length === words);
}

/**
 * The English recovery phrase as bytes (BIP-39): the entropy and the first bits of its hash, eleven bits a word.
 * SECURITY: bytes rather than a string, since a string can be neither wiped nor kept out of the heap's copies.
 */
function phraseOf(entropy: Uint8Array): Uint8Array {
  const checksum = createHash('sha256').update(entropy).digest()[0] as number;
  const words = (entropy.length / 4) * 3;
  const bits = Uint8Array.of(...entropy, checksum);
  const phrase = new Uint8Array(words * 9);
  let length = 0;
  for (let word = 0; word < words; word++) {
    let index = 0;
    for (let bit = word * 11; bit < word * 11 + 11; bit++)
      index = (index << 1) | (((bits[bit >> 3] as number) >> (7 - (bit & 7))) & 1);
    const text = wordlist[index] as string;
    for (let i = 0; i < text.length; i++) phrase[length++] = text.charCodeAt(i);
    if (word < words - 1) phrase[length++] = 0x20;
  }
  bits.fill(0);
  return phrase.subarray(0, length);
}

/** The 64-byte BIP-39 seed of an entropy, with an empty passphrase. Slow on purpose, and off the main thread. */
export async function seedOf(entropy: Uint8Array): Promise<Uint8Array> {
  const phrase = phraseOf(entropy);
  try {
    return await stretch(phrase, 'mnemonic', 2048, SEED_BYTES, 'sha512');
  } finally {
    phrase.fill(0);
  }
}

/** What a wallet keeps sealed: its entropy, from which its recovery phrase can be written again, then its 64-byte seed. */
export async function generateWalletSecret(words: MnemonicLength): Promise<Secret> {
  const entropyBytes = (words / 3) * 4;
  const bytes = new Uint8Array(entropyBytes + SEED_BYTES);
  const entropy = randomFillSync(bytes.subarray(0, entropyBytes));
  const seed = await seedOf(entropy);
  bytes.set(seed, entropyBytes);
  seed.fill(0);
  return new Secret(bytes);
}

/** The seed within a wallet's secret: not a copy. */
export function seedWithin(walletSecret: Secret): Uint8Array {
  return walletSecret.bytes.subarray(walletSecret.bytes.length - SEED_BYTES);
}

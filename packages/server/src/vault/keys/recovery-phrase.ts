import { createHash, pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
import { loadWordlist } from '@countersign/chains';
import type { MnemonicLanguage } from '@countersign/contract';

const stretch = promisify(pbkdf2);

/** The longest word of any list is shorter than this in UTF-8. */
const MAX_WORD_BYTES = 48;

/** Japanese phrases are written with ideographic spaces (BIP-39). */
const SEPARATORS: Partial<Record<MnemonicLanguage, string>> = { MNEMONIC_LANGUAGE_JAPANESE: '\u3000' };

/**
 * The recovery phrase of an entropy as UTF-8 (BIP-39): the entropy and the first bits of its hash, eleven bits per word.
 * SECURITY: bytes, not a string: JavaScript cannot wipe a string, and copies it at will.
 */
export async function phraseOf(entropy: Uint8Array, language: MnemonicLanguage): Promise<Uint8Array> {
  return writePhrase(entropy, await loadWordlist(language), SEPARATORS[language] ?? ' ');
}

/**
 * The 64-byte BIP-39 seed of an entropy's phrase in a language. Slow on purpose, and off the main thread.
 * BIP-39 hashes the words, not the entropy: the same entropy has a different seed in each language.
 */
export async function seedOf(entropy: Uint8Array, language: MnemonicLanguage, passphrase: Uint8Array): Promise<Uint8Array> {
  // BIP-39 hashes the phrase in NFKD. The lists are in NFKD already; it turns every separator into a plain space.
  const phrase = writePhrase(entropy, await loadWordlist(language), ' ');
  const salt = Buffer.from(`mnemonic${Buffer.from(passphrase).toString('utf8')}`.normalize('NFKD'), 'utf8');
  try {
    return await stretch(phrase, salt, 2048, 64, 'sha512');
  } finally {
    phrase.fill(0);
    salt.fill(0);
  }
}

function writePhrase(entropy: Uint8Array, list: readonly string[], separator: string): Uint8Array {
  const checksum = createHash('sha256').update(entropy).digest()[0] as number;
  const words = (entropy.length / 4) * 3;
  const bits = Uint8Array.of(...entropy, checksum);
  const phrase = Buffer.alloc(words * MAX_WORD_BYTES);
  let length = 0;
  for (let word = 0; word < words; word++) {
    let index = 0;
    for (let bit = word * 11; bit < word * 11 + 11; bit++)
      index = (index << 1) | (((bits[bit >> 3] as number) >> (7 - (bit & 7))) & 1);
    length += phrase.write(word === 0 ? '' : separator, length, 'utf8');
    length += phrase.write(list[index] as string, length, 'utf8');
  }
  bits.fill(0);
  // A copy of the exact length, so that wiping the result wipes all of it.
  const exact = Uint8Array.from(phrase.subarray(0, length));
  phrase.fill(0);
  return exact;
}

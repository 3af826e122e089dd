import type { MnemonicLanguage } from '@countersign/contract';
import * as bip39 from '@scure/bip39';
import { ChainError } from '../errors.ts';
import { languages, loadWordlist } from './wordlist.ts';

/** The numbers of words that BIP-39 allows. Every three words carry 32 bits of entropy. */
export const mnemonicLengths = [12, 15, 18, 21, 24] as const;

export type MnemonicLength = (typeof mnemonicLengths)[number];

const ENGLISH = 'MNEMONIC_LANGUAGE_ENGLISH';

/** A new recovery phrase from the platform's secure randomness. Throws ChainError INVALID_MNEMONIC for other numbers of words. */
export async function generateMnemonic(words: MnemonicLength = 12, language: MnemonicLanguage = ENGLISH): Promise<string> {
  if (!mnemonicLengths.includes(words)) {
    throw new ChainError('INVALID_MNEMONIC', `a recovery phrase must have ${mnemonicLengths.join(', ')} words`);
  }
  return bip39.generateMnemonic(await loadWordlist(language), (words / 3) * 32);
}

/** The recovery phrase for 16, 20, 24, 28 or 32 bytes of entropy. Throws ChainError INVALID_MNEMONIC for other lengths. */
export async function entropyToMnemonic(entropy: Uint8Array, language: MnemonicLanguage = ENGLISH): Promise<string> {
  if (!mnemonicLengths.some((words) => (words / 3) * 4 === entropy.length)) {
    throw new ChainError('INVALID_MNEMONIC', 'the entropy of a recovery phrase must have 16, 20, 24, 28 or 32 bytes');
  }
  return bip39.entropyToMnemonic(entropy, await loadWordlist(language));
}

/** The entropy of a recovery phrase. Throws ChainError INVALID_MNEMONIC when a word or the checksum is wrong. */
export async function mnemonicToEntropy(mnemonic: string, language: MnemonicLanguage = ENGLISH): Promise<Uint8Array> {
  const words = await loadWordlist(language);
  try {
    return bip39.mnemonicToEntropy(mnemonic, words);
  } catch {
    // SECURITY: the decoder's message repeats the unknown word, which is part of a secret.
    throw invalidMnemonic();
  }
}

/** The languages in which a phrase is valid, empty if none. A few phrases of shared words are valid in both Chinese lists. */
export async function languagesOfMnemonic(mnemonic: string): Promise<MnemonicLanguage[]> {
  const lists = await Promise.all(languages.map(loadWordlist));
  return languages.filter((_, i) => bip39.validateMnemonic(mnemonic, lists[i] ?? []));
}

/**
 * The 64-byte BIP-39 seed of a phrase. Checks only the number of words, because the seed does not depend on the language.
 * To check the words, use `mnemonicToEntropy` or `languagesOfMnemonic`.
 */
export async function mnemonicToSeed(mnemonic: string, passphrase = ''): Promise<Uint8Array> {
  try {
    return await bip39.mnemonicToSeedWebcrypto(mnemonic, passphrase);
  } catch {
    throw invalidMnemonic();
  }
}

function invalidMnemonic(): ChainError {
  return new ChainError(
    'INVALID_MNEMONIC',
    'this is not a valid recovery phrase: check its words, their order and their language',
  );
}

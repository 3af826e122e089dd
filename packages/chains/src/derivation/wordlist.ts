import type { MnemonicLanguage } from '@countersign/contract';

/** Each list is its own import, so a browser fetches only the languages it needs. */
const lists: Readonly<Record<MnemonicLanguage, () => Promise<{ wordlist: string[] }>>> = {
  MNEMONIC_LANGUAGE_ENGLISH: () => import('@scure/bip39/wordlists/english.js'),
  MNEMONIC_LANGUAGE_SIMPLIFIED_CHINESE: () => import('@scure/bip39/wordlists/simplified-chinese.js'),
  MNEMONIC_LANGUAGE_TRADITIONAL_CHINESE: () => import('@scure/bip39/wordlists/traditional-chinese.js'),
  MNEMONIC_LANGUAGE_CZECH: () => import('@scure/bip39/wordlists/czech.js'),
  MNEMONIC_LANGUAGE_FRENCH: () => import('@scure/bip39/wordlists/french.js'),
  MNEMONIC_LANGUAGE_ITALIAN: () => import('@scure/bip39/wordlists/italian.js'),
  MNEMONIC_LANGUAGE_JAPANESE: () => import('@scure/bip39/wordlists/japanese.js'),
  MNEMONIC_LANGUAGE_KOREAN: () => import('@scure/bip39/wordlists/korean.js'),
  MNEMONIC_LANGUAGE_SPANISH: () => import('@scure/bip39/wordlists/spanish.js'),
  MNEMONIC_LANGUAGE_PORTUGUESE: () => import('@scure/bip39/wordlists/portuguese.js'),
};

/** The 2,048 BIP-39 words of a language, in order. */
export async function loadWordlist(language: MnemonicLanguage): Promise<string[]> {
  return (await lists[language]()).wordlist;
}

/** The languages of recovery phrases. */
export const languages = Object.keys(lists) as MnemonicLanguage[];

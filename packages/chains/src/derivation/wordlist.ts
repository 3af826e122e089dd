/** The languages of recovery phrases, by their wire names. INVARIANT: wallets keep the position in this list, so new ones come last. */
export const mnemonicLanguages = [
  'MNEMONIC_LANGUAGE_ENGLISH',
  'MNEMONIC_LANGUAGE_SIMPLIFIED_CHINESE',
  'MNEMONIC_LANGUAGE_TRADITIONAL_CHINESE',
  'MNEMONIC_LANGUAGE_CZECH',
  'MNEMONIC_LANGUAGE_FRENCH',
  'MNEMONIC_LANGUAGE_ITALIAN',
  'MNEMONIC_LANGUAGE_JAPANESE',
  'MNEMONIC_LANGUAGE_KOREAN',
  'MNEMONIC_LANGUAGE_SPANISH',
  'MNEMONIC_LANGUAGE_PORTUGUESE',
] as const;

export type MnemonicLanguage = (typeof mnemonicLanguages)[number];

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

import { randomFillSync, timingSafeEqual } from 'node:crypto';
import { languagesOfMnemonic, type MnemonicLength, mnemonicLengths, mnemonicToEntropy } from '@countersign/chains';
import { type MnemonicLanguage, mnemonicLanguages } from '@countersign/contract';
import { VaultError } from '../errors.ts';
import { phraseOf, seedOf } from './recovery-phrase.ts';
import { Secret } from './secret.ts';

const HEADER_BYTES = 2;
const SEED_BYTES = 64;
const ENGLISH = 'MNEMONIC_LANGUAGE_ENGLISH';

/** Whether BIP-39 allows a recovery phrase of this many words. */
export function isMnemonicLength(words: number): words is MnemonicLength {
  return mnemonicLengths.some((length) => length === words);
}

/** A new wallet's secret: a phrase of this many English words, without a passphrase. */
export async function generateWalletSecret(words: MnemonicLength): Promise<Secret> {
  const entropy = randomFillSync(new Uint8Array((words / 3) * 4));
  return assemble(ENGLISH, entropy, new Uint8Array(0));
}

/**
 * Reads the secret of an imported wallet from UTF-8 text: a recovery phrase in any of the languages of BIP-39 and, after a line feed, the
 * passphrase if the wallet has one. Undefined for any other text.
 * SECURITY: looking words up in a list takes strings, which JavaScript cannot wipe. No reference to them outlives the call.
 */
export async function readWalletSecret(text: Uint8Array): Promise<Secret | undefined> {
  const decoded = decodeUtf8(text);
  if (decoded === undefined) return undefined;
  const end = decoded.indexOf('\n');
  const phrase = (end === -1 ? decoded : decoded.slice(0, end)).normalize('NFKD').trim().toLowerCase().split(/\s+/u).join(' ');
  const passphrase = end === -1 ? '' : decoded.slice(end + 1);
  // Lists may share a phrase. Its seed is the same, so any of its languages will do.
  const [language] = await languagesOfMnemonic(phrase);
  if (language === undefined) return undefined;
  const entropy = await mnemonicToEntropy(phrase, language);
  return assemble(language, entropy, Buffer.from(passphrase, 'utf8'));
}

/** The seed within a wallet's secret: a view, not a copy. */
export function seedWithin(walletSecret: Secret): Uint8Array {
  return walletSecret.bytes.subarray(walletSecret.bytes.length - SEED_BYTES);
}

/** A recovery phrase to hand out. */
export interface WrittenPhrase {
  /** The phrase and, after a line feed, the passphrase if there is one: the text that `readWalletSecret` reads. */
  readonly text: Secret;
  /** The language of the phrase that the wallet's keys come from. */
  readonly ownLanguage: MnemonicLanguage;
}

/**
 * The recovery phrase of a wallet, in its own language or another.
 * Throws VaultError unless the phrase in its own language gives the seed that the wallet signs with. The phrase may become the only
 * copy of the wallet, so it must be right.
 */
export async function writtenPhrase(walletSecret: Secret, language?: MnemonicLanguage): Promise<WrittenPhrase> {
  const { ownLanguage, entropy, passphrase } = partsOf(walletSecret);
  const seed = await seedOf(entropy, ownLanguage, passphrase);
  const same = timingSafeEqual(seed, seedWithin(walletSecret));
  seed.fill(0);
  if (!same) {
    throw new VaultError(
      'the recovery phrase of a wallet does not produce the seed that the wallet signs with',
      'check this machine: its memory or processor computes wrongly',
    );
  }
  const phrase = await phraseOf(entropy, language ?? ownLanguage);
  const text = new Uint8Array(phrase.length + (passphrase.length === 0 ? 0 : 1 + passphrase.length));
  text.set(phrase);
  if (passphrase.length > 0) {
    text[phrase.length] = 0x0a;
    text.set(passphrase, phrase.length + 1);
  }
  phrase.fill(0);
  return { text: new Secret(text), ownLanguage };
}

/**
 * Makes the secret that a wallet keeps sealed: the index of the language (1 byte), the length of the entropy (1 byte), the entropy of
 * the phrase, the passphrase in UTF-8, and the 64-byte seed. Wipes its arguments.
 */
async function assemble(language: MnemonicLanguage, entropy: Uint8Array, passphrase: Uint8Array): Promise<Secret> {
  const seed = await seedOf(entropy, language, passphrase);
  const bytes = new Uint8Array(HEADER_BYTES + entropy.length + passphrase.length + SEED_BYTES);
  bytes[0] = mnemonicLanguages.indexOf(language);
  bytes[1] = entropy.length;
  bytes.set(entropy, HEADER_BYTES);
  bytes.set(passphrase, HEADER_BYTES + entropy.length);
  bytes.set(seed, bytes.length - SEED_BYTES);
  for (const part of [seed, entropy, passphrase]) part.fill(0);
  return new Secret(bytes);
}

/** The parts of a wallet's secret: views, not copies. */
function partsOf({ bytes }: Secret): { ownLanguage: MnemonicLanguage; entropy: Uint8Array; passphrase: Uint8Array } {
  const entropyEnd = HEADER_BYTES + (bytes[1] as number);
  return {
    ownLanguage: mnemonicLanguages[bytes[0] as number] as MnemonicLanguage,
    entropy: bytes.subarray(HEADER_BYTES, entropyEnd),
    passphrase: bytes.subarray(entropyEnd, bytes.length - SEED_BYTES),
  };
}

function decodeUtf8(text: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(text);
  } catch {
    // Bytes that are not UTF-8 are not a phrase.
    return undefined;
  }
}

import { entropyToMnemonic, mnemonicToSeed } from '@countersign/chains';
import { type MnemonicLanguage, mnemonicLanguages } from '@countersign/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VaultError } from '../../../src/vault/errors.ts';
import { phraseOf, seedOf } from '../../../src/vault/keys/recovery-phrase.ts';
import { Secret } from '../../../src/vault/keys/secret.ts';
import {
  generateWalletSecret,
  isMnemonicLength,
  readWalletSecret,
  seedWithin,
  writtenPhrase,
} from '../../../src/vault/keys/wallet-secret.ts';
import { fromHex, readJson, toHex } from '../support.ts';

const bip39 = await readJson<
  { language: MnemonicLanguage; entropy: string; mnemonic: string; passphrase: string; seed: string }[]
>('/conformance/addresses/bip39.json');

const utf8 = (text: string) => new Uint8Array(Buffer.from(text, 'utf8'));
const none = new Uint8Array(0);
const STANDARD = `${'abandon '.repeat(11)}about`;

const entropies = fc.constantFrom(16, 20, 24, 28, 32).chain((length) => fc.uint8Array({ minLength: length, maxLength: length }));

/** The text form in which a wallet's secret is exported. */
const textOf = async (secret: Secret, language?: MnemonicLanguage) =>
  Buffer.from((await writtenPhrase(secret, language)).text.bytes).toString('utf8');

test('stored wallets find their language at its position', () => {
  expect(mnemonicLanguages.map((language) => language.slice('MNEMONIC_LANGUAGE_'.length))).toEqual([
    'ENGLISH',
    'SIMPLIFIED_CHINESE',
    'TRADITIONAL_CHINESE',
    'CZECH',
    'FRENCH',
    'ITALIAN',
    'JAPANESE',
    'KOREAN',
    'SPANISH',
    'PORTUGUESE',
  ]);
});

describe('phrases and seeds', () => {
  test.each(bip39)('BIP-39, $language: $entropy', async ({ language, entropy, mnemonic, passphrase, seed }) => {
    expect(toHex(await seedOf(fromHex(entropy), language, utf8(passphrase)))).toBe(seed);
    const phrase = Buffer.from(await phraseOf(fromHex(entropy), language)).toString('utf8');
    expect(phrase.normalize('NFKD')).toBe(mnemonic.normalize('NFKD'));
  });

  test.each(mnemonicLanguages)('%s: every entropy has the phrase and the seed of the pure implementation', async (language) => {
    await fc.assert(
      fc.asyncProperty(entropies, async (entropy) => {
        const mnemonic = await entropyToMnemonic(entropy, language);
        expect(Buffer.from(await phraseOf(entropy, language)).toString('utf8')).toBe(mnemonic);
        expect(toHex(await seedOf(entropy, language, none))).toBe(toHex(await mnemonicToSeed(mnemonic)));
      }),
      { numRuns: 12 },
    );
  });

  test('other numbers of words are refused', () => {
    expect([0, 3, 11, 13, 27, 12.5, Number.NaN].some(isMnemonicLength)).toBe(false);
  });
});

describe('a new wallet', () => {
  test.each([12, 15, 18, 21, 24] as const)('of %i words has a fresh English phrase and its seed', async (words) => {
    const secret = await generateWalletSecret(words);
    const phrase = await textOf(secret);
    expect(phrase.split(' ')).toHaveLength(words);
    expect(toHex(seedWithin(secret))).toBe(toHex(await mnemonicToSeed(phrase)));
    expect(await textOf(await generateWalletSecret(words))).not.toBe(phrase);
  });
});

describe('an imported wallet', () => {
  test.each(mnemonicLanguages)('in %s keeps its phrase, its language and the seed of its words', async (language) => {
    const mnemonic = await entropyToMnemonic(fromHex('8080808080808080808080808080808080808080'), language);
    const secret = await readWalletSecret(utf8(mnemonic));
    if (secret === undefined) throw new Error('the phrase was not taken');
    expect(toHex(seedWithin(secret))).toBe(toHex(await mnemonicToSeed(mnemonic)));
    expect(await textOf(secret)).toBe(mnemonic);
    expect((await writtenPhrase(secret)).ownLanguage).toBe(language);
  });

  test('can be exported in any other language, with the same entropy', async () => {
    const secret = await readWalletSecret(utf8(STANDARD));
    for (const language of mnemonicLanguages) {
      expect(await textOf(secret as Secret, language)).toBe(await entropyToMnemonic(new Uint8Array(16), language));
      expect((await writtenPhrase(secret as Secret, language)).ownLanguage).toBe('MNEMONIC_LANGUAGE_ENGLISH');
    }
  });

  test('keeps a passphrase after a line feed, exactly as given', async () => {
    for (const passphrase of ['TREZOR', ' spaces stay ', 'two\nlines', '㍍ガバヴァぱばぐゞちぢ十人十色']) {
      const secret = (await readWalletSecret(utf8(`${STANDARD}\n${passphrase}`))) as Secret;
      expect(toHex(seedWithin(secret))).toBe(toHex(await mnemonicToSeed(STANDARD, passphrase)));
      expect(await textOf(secret)).toBe(`${STANDARD}\n${passphrase}`);
    }
  });

  test('is the same for any spacing and case of its words', async () => {
    const written = [
      STANDARD,
      `  ${STANDARD.toUpperCase()} `,
      STANDARD.replaceAll(' ', '\t'),
      `${STANDARD}\n`,
      `${STANDARD}\r\n`,
    ];
    for (const text of written) expect(await textOf((await readWalletSecret(utf8(text))) as Secret)).toBe(STANDARD);
  });

  test.each([
    ['nothing', ''],
    ['a line feed', '\n'],
    ['a wrong checksum', `${'abandon '.repeat(11)}abandon`],
    ['eleven words', `${'abandon '.repeat(10)}about`],
    ['a word of no list', `${'abandon '.repeat(11)}abouts`],
    ['words on several lines', STANDARD.replaceAll(' ', '\n')],
    ['two languages', `${'abaisser '.repeat(6)}${'abandon '.repeat(5)}about`],
    ['a hexadecimal seed', '5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc1'],
  ])('that is %s is refused', async (_, text) => {
    expect(await readWalletSecret(utf8(text))).toBeUndefined();
  });

  test('that is not UTF-8 is refused', async () => {
    expect(await readWalletSecret(Uint8Array.of(0xff, 0xfe, 0x61))).toBeUndefined();
  });
});

test('a secret whose phrase does not give its seed is not exported', async () => {
  const secret = await generateWalletSecret(12);
  const damaged = Uint8Array.from(secret.bytes);
  damaged[damaged.length - 1] = (damaged.at(-1) as number) ^ 1;
  await expect(writtenPhrase(new Secret(damaged))).rejects.toThrow(VaultError);
});

import { pbkdf2Sync } from 'node:crypto';
import { type MnemonicLanguage, mnemonicLanguages } from '@countersign/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ChainError,
  entropyToMnemonic,
  generateMnemonic,
  languagesOfMnemonic,
  type MnemonicLength,
  mnemonicLengths,
  mnemonicToEntropy,
  mnemonicToSeed,
} from '../../src/index.ts';
import { readCorpus } from '../addresses/corpus.ts';

interface Bip39Vector {
  readonly language: MnemonicLanguage;
  readonly entropy: string;
  readonly mnemonic: string;
  readonly passphrase: string;
  readonly seed: string;
}

const vectors = readCorpus<Bip39Vector[]>('bip39');
const phrase = `${'abandon '.repeat(11)}about`;

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

async function failureOf(act: Promise<unknown>): Promise<ChainError> {
  try {
    await act;
  } catch (error) {
    if (error instanceof ChainError) return error;
  }
  throw new Error('expected a ChainError');
}

describe('official vectors', () => {
  test.each(vectors)('$language $mnemonic', async ({ language, entropy, mnemonic, passphrase, seed }) => {
    expect(await entropyToMnemonic(Buffer.from(entropy, 'hex'), language)).toBe(mnemonic);
    expect(toHex(await mnemonicToEntropy(mnemonic, language))).toBe(entropy);
    expect(toHex(await mnemonicToSeed(mnemonic, passphrase))).toBe(seed);
  });
});

describe.each(mnemonicLanguages)('%s', (language) => {
  test.each(mnemonicLengths)('a new phrase of %i words is valid and gives its entropy back', async (length) => {
    const mnemonic = await generateMnemonic(length, language);
    expect(mnemonic.split(/[ \u3000]/)).toHaveLength(length);
    const entropy = await mnemonicToEntropy(mnemonic, language);
    expect(entropy).toHaveLength((length / 3) * 4);
    expect(await entropyToMnemonic(entropy, language)).toBe(mnemonic);
    expect(await languagesOfMnemonic(mnemonic)).toContain(language);
  });

  test('any entropy goes to words and back, and the seed is that of OpenSSL', async () => {
    const entropies = fc.constantFrom(16, 20, 24, 28, 32).chain((size) => fc.uint8Array({ minLength: size, maxLength: size }));
    await fc.assert(
      fc.asyncProperty(entropies, async (entropy) => {
        const mnemonic = await entropyToMnemonic(entropy, language);
        expect(toHex(await mnemonicToEntropy(mnemonic, language))).toBe(toHex(entropy));
        const seed = pbkdf2Sync(mnemonic.normalize('NFKD'), 'mnemonic', 2048, 64, 'sha512').toString('hex');
        expect(toHex(await mnemonicToSeed(mnemonic))).toBe(seed);
      }),
      { numRuns: 20 },
    );
  });
});

describe('what is no recovery phrase', () => {
  test.each([
    ['a wrong checksum', 'abandon '.repeat(12).trim()],
    ['an unknown word', phrase.replace('about', 'countersign')],
    ['11 words', 'abandon '.repeat(11).trim()],
    ['13 words', `${phrase} abandon`],
    ['an upper-case word', phrase.replace('about', 'About')],
    ['two spaces', phrase.replace(' about', '  about')],
    ['a line feed', phrase.replace(' about', '\nabout')],
    ['a space before', ` ${phrase}`],
    ['a space after', `${phrase} `],
    ['nothing', ''],
    ['half a surrogate pair', `${phrase}\ud800`],
  ])('%s', async (_, text) => {
    const error = await failureOf(mnemonicToEntropy(text));
    expect(error.code).toBe('INVALID_MNEMONIC');
    expect(await languagesOfMnemonic(text)).toEqual([]);
  });

  test('words of another language', async () => {
    expect((await failureOf(mnemonicToEntropy(phrase, 'MNEMONIC_LANGUAGE_SPANISH'))).code).toBe('INVALID_MNEMONIC');
    expect(await languagesOfMnemonic(phrase)).toEqual(['MNEMONIC_LANGUAGE_ENGLISH']);
  });

  test('D61: the refusal repeats no word of the phrase', async () => {
    const error = await failureOf(mnemonicToEntropy(phrase.replace('about', 'hunter2')));
    expect(`${error.message} ${error.stack} ${String(error.cause)}`).not.toMatch(/hunter2|abandon/);
  });

  test('a seed needs a phrase of a known length', async () => {
    expect((await failureOf(mnemonicToSeed('abandon'))).code).toBe('INVALID_MNEMONIC');
  });
});

test.each([0, 11, 13, 27, 12.5])('a phrase of %d words is refused', async (length) => {
  expect((await failureOf(generateMnemonic(length as MnemonicLength))).code).toBe('INVALID_MNEMONIC');
});

test.each([0, 15, 17, 33])('entropy of %i bytes is refused', async (length) => {
  expect((await failureOf(entropyToMnemonic(new Uint8Array(length)))).code).toBe('INVALID_MNEMONIC');
});

test('two new phrases differ, and twelve English words are the default', async () => {
  const [first, second] = await Promise.all([generateMnemonic(), generateMnemonic()]);
  expect(first).not.toBe(second);
  expect(first.split(' ')).toHaveLength(12);
  expect(await languagesOfMnemonic(first)).toContain('MNEMONIC_LANGUAGE_ENGLISH');
});

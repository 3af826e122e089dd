import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressFormatIds, addressFormats, canonicalAddress } from '../../src/index.ts';
import { exampleOf, readCorpus, vectors } from './corpus.ts';

const spellings = readCorpus<{ text: string; canonical: string; note: string }[]>('spellings');
const invalid = readCorpus<{ text: string; reason: string }[]>('invalid');

/** Texts near real addresses: other cases, other alphabets, single changes. */
const nearAddress = fc
  .tuple(
    fc.constantFrom(...vectors.map(({ address }) => address), ...spellings.map(({ text }) => text)),
    fc.nat(),
    fc.nat(),
    fc.nat(3),
  )
  .map(([address, at, character, change]) => {
    const i = at % address.length;
    const flipped =
      address.charAt(i) === address.charAt(i).toLowerCase() ? address.charAt(i).toUpperCase() : address.charAt(i).toLowerCase();
    if (change === 0) return address.toLowerCase();
    if (change === 1) return address.toUpperCase();
    if (change === 2) return address.slice(0, i) + flipped + address.slice(i + 1);
    return address.slice(0, i) + String.fromCharCode(33 + (character % 94)) + address.slice(i + 1);
  });

/** The canonical texts that the formats which can read a text give it. */
function readingsOf(text: string): Set<string> {
  const readings = new Set<string>();
  for (const id of addressFormatIds) {
    try {
      readings.add(addressFormats[id].normalize(text));
    } catch {
      // Not an address of this format.
    }
  }
  return readings;
}

describe('P2: an address has one canonical text', () => {
  test.each(spellings)('$note: $text', ({ text, canonical }) => {
    expect(canonicalAddress(text)).toBe(canonical);
  });

  test.each(vectors)('$format $address is canonical already', ({ address }) => {
    expect(canonicalAddress(address)).toBe(address);
  });

  test('D34: lower, upper and checksummed Ethereum addresses are one, a wrong checksum matches none', () => {
    const address = exampleOf('ADDRESS_FORMAT_ETHEREUM');
    const digits = address.slice(2);
    for (const prefix of ['0x', '0X']) {
      for (const spelled of [digits, digits.toLowerCase(), digits.toUpperCase()])
        expect(canonicalAddress(prefix + spelled)).toBe(address);
    }
    const wrong = `0x${digits.toUpperCase().replace('E', 'e')}`;
    expect(canonicalAddress(wrong)).toBe(wrong);
  });

  test('D47: what formats read as an address has their canonical text, and what none reads stays as it is', () => {
    fc.assert(
      fc.property(nearAddress, (text) => {
        const readings = readingsOf(text);
        // Solana's form has no checksum: where a text passes one, that reading wins.
        if (readings.size > 1) readings.delete(text);
        expect([...readings]).toEqual(readings.size === 0 ? [] : [canonicalAddress(text)]);
        if (readings.size === 0) expect(canonicalAddress(text)).toBe(text);
      }),
      { numRuns: 2_000 },
    );
  });

  test('D47: a regtest address in upper case is not taken for the Solana address it also could be', () => {
    const address = exampleOf('ADDRESS_FORMAT_BITCOIN_REGTEST_P2WPKH');
    const upper = address.toUpperCase();
    expect(addressFormats.ADDRESS_FORMAT_SOLANA.normalize(upper)).toBe(upper);
    expect(canonicalAddress(upper)).toBe(address);
  });
});

describe('any text', () => {
  test('never throws, and the result is canonical', () => {
    const texts = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), nearAddress);
    fc.assert(
      fc.property(texts, (text) => {
        expect(canonicalAddress(canonicalAddress(text))).toBe(canonicalAddress(text));
      }),
    );
  });

  test('ids, tags and names stay as they are', () => {
    const id = randomUUID();
    for (const text of [id, id.toUpperCase(), '', ' ', 'BC1', 'treasury', '0x', 'UQ', '__proto__'])
      expect(canonicalAddress(text)).toBe(text);
  });

  test.each(invalid)('$text ($reason) is no other address', ({ text }) => {
    const canonical = canonicalAddress(text);
    // Some of these are valid in another format; in none may they become the address of another key.
    if (canonical !== text) expect(canonical.toLowerCase()).toBe(text.toLowerCase());
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressFormatIds, addressFormats, ChainError, type Curve, curves, encodeAddress } from '../../src/index.ts';
import { exampleOf, readCorpus } from './corpus.ts';
import { nativePublicKey } from './oracles.ts';

const invalid = readCorpus<{ format: keyof typeof addressFormats; text: string; reason: string }[]>('invalid');

const curveArbitrary = fc.constantFrom(...curves);
const secretArbitrary = fc.uint8Array({ minLength: 32, maxLength: 32 });
const keyArbitrary = (curve: Curve) =>
  secretArbitrary.map((secret) => nativePublicKey(curve, secret)).filter((key) => key !== undefined);

function codeOf(act: () => unknown): string | undefined {
  try {
    act();
  } catch (error) {
    return error instanceof ChainError ? error.code : String(error);
  }
  return undefined;
}

describe('the table', () => {
  test('has exactly the formats of the interface and TON_V5R1, in a fixed order', () => {
    const chains = 'ETHEREUM SOLANA COSMOS TRON SUI APTOS SEI XLM XRP DOGE_MAINNET DOGE_TESTNET TON_V3R2 TON_V4R2 TON_V5R1'.split(
      ' ',
    );
    const bitcoin = ['MAINNET', 'TESTNET', 'SIGNET', 'REGTEST'].flatMap((network) =>
      ['P2PKH', 'P2SH', 'P2WPKH', 'P2WSH', 'P2TR'].map((script) => `BITCOIN_${network}_${script}`),
    );
    const expected = ['UNCOMPRESSED', 'COMPRESSED', ...chains, ...bitcoin].map((name) => `ADDRESS_FORMAT_${name}`);
    expect(addressFormatIds).toEqual(expected);
    expect(Object.keys(addressFormats)).toEqual(expected);
    for (const id of addressFormatIds) expect(addressFormats[id].id).toBe(id);
  });

  test('is frozen', () => {
    for (const value of [addressFormats, addressFormatIds, ...Object.values(addressFormats)])
      expect(Object.isFrozen(value)).toBe(true);
  });
});

describe.each(addressFormatIds)('%s', (id) => {
  const format = addressFormats[id];

  test('encode, then parse and normalize, gives the same address back', () => {
    fc.assert(
      fc.property(
        curveArbitrary
          .filter((curve) => format.curves.includes(curve))
          .chain((curve) => fc.tuple(fc.constant(curve), keyArbitrary(curve))),
        ([curve, key]) => {
          const address = encodeAddress(id, curve, key);
          expect(format.normalize(address)).toBe(address);
          expect(format.parse(address).length).toBeGreaterThanOrEqual(20);
        },
      ),
    );
  });

  test('one changed character is refused, or is another address of a form without a checksum', () => {
    const address = exampleOf(id);
    const payload = Buffer.from(format.parse(address)).toString('hex');
    const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/-_:';
    fc.assert(
      fc.property(fc.nat(address.length - 1), fc.constantFrom(...alphabet), (at, character) => {
        const changed = address.slice(0, at) + character + address.slice(at + 1);
        if (codeOf(() => format.parse(changed)) === undefined) {
          const other = Buffer.from(format.parse(changed)).toString('hex');
          expect(other === payload).toBe(format.normalize(changed) === address);
          if (!/COMPRESSED|SOLANA|SUI|APTOS/.test(id)) expect(other).toBe(payload);
        }
      }),
    );
  });

  test('normalize is idempotent, and any text is read or refused with INVALID_ADDRESS', () => {
    const noise = fc.oneof(fc.string(), fc.string({ unit: 'binary', maxLength: 200 }), fc.base64String());
    fc.assert(
      fc.property(noise, (text) => {
        const code = codeOf(() => format.parse(text));
        expect([undefined, 'INVALID_ADDRESS']).toContain(code);
        if (code === undefined) expect(format.normalize(format.normalize(text))).toBe(format.normalize(text));
      }),
    );
  });

  test('white space is never trimmed', () => {
    const address = exampleOf(id);
    for (const text of [` ${address}`, `${address} `, `${address}\n`, `\t${address}`, `${address}\0`, `\ufeff${address}`]) {
      expect(
        codeOf(() => format.parse(text)),
        JSON.stringify(text),
      ).toBe('INVALID_ADDRESS');
    }
  });

  test('a text of any length is refused at once', () => {
    const started = performance.now();
    for (const character of '1zQaA0') {
      expect(codeOf(() => format.parse(character.repeat(1_000_000)))).toBe('INVALID_ADDRESS');
      expect(codeOf(() => format.parse(exampleOf(id) + character.repeat(1_000_000)))).toBe('INVALID_ADDRESS');
    }
    // Base58 takes quadratic time where the decoder sets no bound: minutes for texts of this size.
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  test('a key of another curve is refused by name', () => {
    for (const curve of curves.filter((each) => !format.curves.includes(each))) {
      const key = nativePublicKey(curve, new Uint8Array(32).fill(1)) ?? new Uint8Array();
      const message = `${id} needs a ${format.curves.join(' or ')} key, but this key is ${curve}`;
      expect(() => encodeAddress(id, curve, key)).toThrow(message);
      expect(codeOf(() => encodeAddress(id, curve, key))).toBe('INVALID_CURVE');
    }
  });

  test('what is no key of the curve is refused', () => {
    for (const length of [0, 31, 32, 33, 64, 65, 66]) {
      // All ones is off every curve, or not a reduced coordinate.
      expect(codeOf(() => format.encode(new Uint8Array(length).fill(0xff)))).toBe('INVALID_PUBLIC_KEY');
      expect(codeOf(() => format.encode(new Uint8Array(length)))).toBe('INVALID_PUBLIC_KEY');
    }
  });

  test.each(invalid.filter((each) => each.format === id))('refuses $text: $reason', ({ text }) => {
    expect(codeOf(() => format.parse(text))).toBe('INVALID_ADDRESS');
    expect(codeOf(() => format.normalize(text))).toBe('INVALID_ADDRESS');
  });
});

test('the message of a refusal does not repeat the text', () => {
  expect(() => addressFormats.ADDRESS_FORMAT_TRON.parse('<script>')).toThrow(
    'this text is not a valid ADDRESS_FORMAT_TRON address',
  );
});

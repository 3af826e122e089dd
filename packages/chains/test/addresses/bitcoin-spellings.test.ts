import { readFileSync } from 'node:fs';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { describe, expect, test } from 'vitest';
import { addressFormatIds, addressFormats } from '../../src/addresses/address-formats.ts';
import { bitcoinSpellings } from '../../src/addresses/bitcoin.ts';

const bitcoinIds = addressFormatIds.filter((id) => id.startsWith('ADDRESS_FORMAT_BITCOIN_'));
const publicKey = secp256k1.getPublicKey(new Uint8Array(32).fill(7));
const addressesOf = (script: string) =>
  new Set(bitcoinIds.filter((id) => id.endsWith(`_${script}`)).map((id) => addressFormats[id].encode(publicKey)));

describe('the addresses of a script on every network', () => {
  test.each(['P2PKH', 'P2SH', 'P2WPKH', 'P2WSH', 'P2TR'])('%s: each gives all, and itself last', (script) => {
    const all = addressesOf(script);
    expect(all.size).toBe(script === 'P2PKH' || script === 'P2SH' ? 2 : 3);
    for (const address of all) {
      const found = bitcoinSpellings(address);
      expect(new Set(found)).toEqual(all);
      expect(found?.at(-1)).toBe(address);
      expect(bitcoinSpellings(`${address} `)).toBeUndefined();
    }
  });

  test('an upper-case address of a QR code is the same address', () => {
    for (const address of addressesOf('P2WSH'))
      expect(bitcoinSpellings(address.toUpperCase())).toEqual(bitcoinSpellings(address));
  });

  test('D80: no address of another chain is one, and no address has a wrong character', () => {
    for (const id of addressFormatIds) {
      const format = addressFormats[id];
      if (bitcoinIds.includes(id) || format.curves[0] !== 'CURVE_SECP256K1') continue;
      expect(bitcoinSpellings(format.encode(publicKey)), id).toBeUndefined();
    }
    for (const script of ['P2PKH', 'P2WPKH', 'P2TR']) {
      const [address] = addressesOf(script) as Set<string> & Iterable<string>;
      for (let at = 0; at < (address as string).length; at++) {
        const wrong = (address as string)[at] === '2' ? '3' : '2';
        expect(bitcoinSpellings(`${address?.slice(0, at)}${wrong}${address?.slice(at + 1)}`)).toBeUndefined();
      }
    }
  });

  test('texts that no Bitcoin format takes have none', () => {
    const url = new URL('../../../../conformance/addresses/invalid.json', import.meta.url);
    const invalid = JSON.parse(readFileSync(url, 'utf8')) as readonly { format: string; text: string }[];
    const taken = (text: string) =>
      bitcoinIds.some((id) => {
        try {
          return addressFormats[id].parse(text).length > 0;
        } catch {
          return false;
        }
      });
    const texts = invalid.filter(({ format }) => format.includes('BITCOIN')).map(({ text }) => text);
    expect(texts.length).toBeGreaterThan(10);
    for (const text of texts) expect(bitcoinSpellings(text) !== undefined, text).toBe(taken(text));
  });
});

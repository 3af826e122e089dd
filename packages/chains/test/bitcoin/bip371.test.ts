import { readFileSync } from 'node:fs';
import { hexToBytes } from '@noble/hashes/utils.js';
import * as bitcoin from 'bitcoinjs-lib';
import { describe, expect, test } from 'vitest';
import { bitcoinTransaction } from '../../src/bitcoin/index.ts';

interface Vector {
  readonly name: string;
  readonly psbt: string;
}

const { publicKey, valid, invalid } = JSON.parse(
  readFileSync(new URL('../../../../conformance/transactions/bip371.json', import.meta.url), 'utf8'),
) as { readonly publicKey: string; readonly valid: readonly Vector[]; readonly invalid: readonly Vector[] };
const signer = { curve: 'CURVE_SECP256K1' as const, publicKey: hexToBytes(publicKey) };
const parse = ({ psbt }: Vector) => bitcoinTransaction.parse(psbt, { signer, interfaces: [] });

describe('conformance/transactions/bip371.json', () => {
  test.each(valid)('valid: $name', (vector) => {
    expect(() => bitcoin.Psbt.fromHex(vector.psbt)).not.toThrow();
    // The key of the standard owns these inputs. One of them is signed already.
    if (vector.name.endsWith('signature')) expect(() => parse(vector)).toThrow('input 0 is already signed');
    else expect(bitcoinTransaction.signingRequests(parse(vector), signer)).toHaveLength(1);
  });

  test.each(invalid)('invalid: $name', (vector) => {
    expect(() => bitcoin.Psbt.fromHex(vector.psbt)).toThrow();
    expect(() => parse(vector)).toThrow(/has the wrong size/);
  });
});

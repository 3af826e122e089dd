import { readFileSync } from 'node:fs';
import { hexToBytes } from '@noble/hashes/utils.js';

import { describe, expect, test } from 'vitest';
import { bitcoinTransaction } from '../../src/bitcoin/index.ts';
import { bitcoin } from './bitcoinjs.ts';

interface Vectors {
  readonly publicKey: string;
  readonly valid: readonly { readonly name: string; readonly psbt: string }[];
  /** Each is a valid one with one change, which makes it a vector of the standard. */
  readonly invalid: readonly { readonly name: string; readonly of: number; readonly find: string; readonly put: string }[];
}

const vectors: Vectors = JSON.parse(
  readFileSync(new URL('../../../../conformance/transactions/bip174.json', import.meta.url), 'utf8'),
);
const signer = { curve: 'CURVE_SECP256K1', publicKey: hexToBytes(vectors.publicKey) } as const;
const toHex = (base64: string) => Buffer.from(base64, 'base64').toString('hex');
const refusalOf = (psbt: string) => {
  try {
    bitcoinTransaction.parse(psbt, { signer, interfaces: [] });
    return 'none';
  } catch (error) {
    return (error as Error).message;
  }
};

/** Neither refusal says that something is malformed: the PSBT was read to its end. */
const WELL_FORMED = /spends no input of the transaction|multisig|script that is not/;

describe('vectors of BIP-174', () => {
  test.each(vectors.valid)('$name: is read, and refused only because the key does not sign it alone', ({ psbt }) => {
    expect(bitcoin.Psbt.fromBase64(psbt).data.inputs.length).toBeGreaterThan(0);
    expect(refusalOf(toHex(psbt))).toMatch(WELL_FORMED);
  });

  test.each(vectors.invalid)('$name: is malformed', ({ of, find, put }) => {
    const hex = toHex(vectors.valid[of]?.psbt as string);
    expect(hex.split(find)).toHaveLength(2);
    const changed = hex.replace(find, put);
    expect(() => bitcoin.Psbt.fromHex(changed)).toThrow();
    const refusal = refusalOf(changed);
    expect(refusal).not.toBe('none');
    expect(refusal).not.toMatch(WELL_FORMED);
  });
});

import { secp256k1 } from '@noble/curves/secp256k1.js';
import { hexToBytes } from '@noble/hashes/utils.js';
import { describe, expect, test } from 'vitest';
import { bitcoinTransaction } from '../../src/bitcoin/index.ts';
import { tweakPublicKey } from '../../src/shared/tweak.ts';
import { toJson } from '../solana/support.ts';
import { bitcoin, signaturesAreValid } from './bitcoinjs.ts';
import { proof, psbtOf, spend } from './psbt-builder.ts';
import { parse, sign, signerFor, vector, vectors } from './support.ts';

describe('PSBTs made by bitcoinjs-lib', () => {
  test.each(vectors.transactions)('$name: what policy and people see', (vector) => {
    const parsed = parse(vector.unsignedTransaction, vector.addressFormat);
    expect(toJson(parsed.policy)).toEqual(vector.expected);
    expect(parsed.namespace).toBe('bitcoin.tx');
    expect(parsed.fullyParsed).toBe(vector.fullyParsed);
    expect(parsed.unparsed.length > 0).toBe(!vector.fullyParsed);
    if (vector.description !== undefined) expect(parsed.description).toBe(vector.description);
  });

  test.each(vectors.transactions)('$name: only the own inputs are signed, and with valid signatures', (vector) => {
    const signed = bitcoin.Psbt.fromHex(sign(parse(vector.unsignedTransaction, vector.addressFormat)));
    signed.data.inputs.forEach((input, index) => {
      const own = vector.ownInputs.includes(index);
      expect((input.partialSig?.length ?? 0) + (input.tapKeySig ? 1 : 0)).toBe(own ? 1 : 0);
      expect(input.finalScriptSig ?? input.finalScriptWitness).toBeUndefined();
      if (own) expect(signaturesAreValid(signed, index)).toBe(true);
    });
    expect(signed.data.globalMap.unsignedTx.toBuffer()).toEqual(
      bitcoin.Psbt.fromHex(vector.unsignedTransaction).data.globalMap.unsignedTx.toBuffer(),
    );
  });

  test.each(vectors.transactions.filter(({ finalTransaction }) => finalTransaction !== undefined))(
    '$name: the finalized transaction is the same',
    (vector) => {
      const signed = bitcoin.Psbt.fromHex(sign(parse(vector.unsignedTransaction, vector.addressFormat)));
      expect(signed.finalizeAllInputs().extractTransaction(true).toHex()).toBe(vector.finalTransaction);
    },
  );

  test.each(vectors.transactions)('$name: the signed PSBT says the same as that of bitcoinjs-lib', (vector) => {
    const ours = bitcoin.Psbt.fromHex(sign(parse(vector.unsignedTransaction, vector.addressFormat)));
    expect(ours.data.inputs).toEqual(bitcoin.Psbt.fromHex(vector.signedTransaction).data.inputs);
  });

  test('what a finalizer needs of scripts is added where the PSBT leaves it out', () => {
    const psbt = bitcoin.Psbt.fromHex(
      vectors.transactions.find(({ name }) => name.startsWith('every kind'))?.unsignedTransaction as string,
    );
    for (const input of psbt.data.inputs) {
      delete input.redeemScript;
      delete input.witnessScript;
      delete input.tapInternalKey;
    }
    const signed = bitcoin.Psbt.fromHex(sign(parse(psbt.toHex())));
    expect(() => signed.finalizeAllInputs().extractTransaction(true)).not.toThrow();
  });

  test('requests are ECDSA digests, and for Taproot Schnorr digests with an empty tweak', () => {
    const parsed = parse(vectors.transactions.find(({ name }) => name.startsWith('every kind'))?.unsignedTransaction as string);
    const requests = bitcoinTransaction.signingRequests(parsed, signerFor());
    expect(requests.map(({ kind }) => kind)).toEqual(['ecdsa', 'ecdsa', 'ecdsa', 'ecdsa', 'schnorr']);
    expect(requests[4]).toMatchObject({ tapTweak: new Uint8Array() });
    for (const request of requests) if (request.kind !== 'ed25519') expect(request.digest).toHaveLength(32);
  });

  test('the own Taproot script comes from the given engine, and only where a Taproot script occurs', () => {
    const calls: number[] = [];
    // A key of its own, so that its scripts are not in the cache.
    const fresh = { curve: 'CURVE_SECP256K1', publicKey: secp256k1.getPublicKey(new Uint8Array(32).fill(9)) } as const;
    const tweak = (key: Uint8Array, by: Uint8Array) => {
      calls.push(by.length);
      return tweakPublicKey(key, by);
    };
    const read = (name: string) =>
      bitcoinTransaction.parse(vector(name).unsignedTransaction, { signer: fresh, interfaces: [], tweakPublicKey: tweak });
    expect(() => read('P2WPKH, mainnet')).toThrow('spends no input');
    expect(calls).toEqual([]);
    expect(() => read('P2TR, mainnet')).toThrow('spends no input');
    expect(calls).toEqual([32]);
  });

  test('amounts are integers', () => {
    const { policy } = parse(vectors.transactions[2]?.unsignedTransaction as string);
    expect(policy).toMatchObject({
      fee: 1000n,
      version: '2',
      outputs: [{ value: 50000n }, { value: 79000n }],
      locktime: { amount: 0n },
    });
  });

  test('unknown records of a type that version 2 took later are kept too (BIP-174, "PSBT with unknown types in the inputs")', () => {
    const key = '0f010203040506070809';
    const value = '0102030405060708090a0b0c0d0e0f';
    const signed = bitcoin.Psbt.fromHex(sign(parse(psbtOf([[spend('P2WPKH'), proof, [key, value]]]))));
    expect(signed.data.inputs[0]?.unknownKeyVals).toEqual([{ key: hexToBytes(key), value: hexToBytes(value) }]);
    expect(signed.data.inputs[0]?.partialSig).toHaveLength(1);
    const published =
      '70736274ff01003f0200000001ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0000000000ffffffff' +
      '010000000000000000036a010000000000000a0f0102030405060708090f0102030405060708090a0b0c0d0e0f0000';
    expect(() => parse(published)).toThrow('the signing key spends no input of the transaction');
  });

  test('records that are not known stay', () => {
    const { unsignedTransaction } = vectors.transactions.find(({ name }) => name === 'unknown records are kept') as {
      unsignedTransaction: string;
    };
    const [input] = bitcoin.Psbt.fromHex(sign(parse(unsignedTransaction))).data.inputs;
    expect(input?.unknownKeyVals).toEqual([{ key: hexToBytes('f00d'), value: hexToBytes('beef') }]);
  });
});

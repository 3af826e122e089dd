import type { Client } from '@countersign/client';
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { crypto, networks, Psbt, script, Transaction } from 'bitcoinjs-lib';
import { describe, expect, test } from 'vitest';
import { signPsbt, toCountersignSigner } from '../src/index.ts';

const network = networks.testnet;
const own = new Uint8Array(32).fill(1);
const other = new Uint8Array(32).fill(2);
const publicKeyOf = (secret: Uint8Array) => secp256k1.getPublicKey(secret);
const p2wpkh = script.compile([0, crypto.hash160(publicKeyOf(own))]);
const p2tr = script.compile([0x51, schnorr.getPublicKey(own)]);
const signWith = 'the key';

/** A client of a service that answers with what it is told, whatever it was asked for. */
function clientOf(result: unknown): Client<'turnkey'> {
  const answer = async () => ({ activity: { id: 'a', status: 'ACTIVITY_STATUS_COMPLETED' }, result });
  return { signRawPayload: answer, signTransaction: answer } as unknown as Client<'turnkey'>;
}

function payment(from: Uint8Array, value = 99_000n): Psbt {
  const psbt = new Psbt({ network });
  psbt.addInput({ hash: new Uint8Array(32).fill(3), index: 0, witnessUtxo: { script: from, value: 100_000n } });
  return psbt.addOutput({ script: p2wpkh, value });
}

const signerOf = (secret: Uint8Array) => ({
  publicKey: publicKeyOf(secret),
  sign: (hash: Uint8Array) => secp256k1.sign(hash, secret, { prehash: false }),
});

/** The payment with a signature that a holder of `own` could make. */
function signed(psbt: Psbt, sighashType: number = Transaction.SIGHASH_ALL): Psbt {
  return psbt.updateInput(0, { sighashType }).signInput(0, signerOf(own), [sighashType]);
}

const take = (answer: Psbt, asked = payment(p2wpkh)) =>
  signPsbt(asked, { client: clientOf({ signedTransaction: answer.toHex() }), signWith });

describe('A71: an answer for a PSBT', () => {
  test('is taken where its signature is of this transaction', async () => {
    const psbt = await take(signed(payment(p2wpkh)));
    expect(psbt.finalizeAllInputs().extractTransaction().ins[0]?.witness).toHaveLength(2);
  });

  test('is refused where it is another transaction, or has no signature', async () => {
    await expect(take(signed(payment(p2wpkh, 1n)))).rejects.toThrow('another transaction');
    await expect(take(payment(p2wpkh))).rejects.toThrow('no signature');
  });

  test('is refused where another key, or this key for another transaction, made the signature', async () => {
    const [genuine] = signed(payment(p2wpkh)).data.inputs[0]?.partialSig ?? [];
    const [elsewhere] = signed(payment(p2wpkh, 1n)).data.inputs[0]?.partialSig ?? [];
    const swapped = payment(p2wpkh).updateInput(0, {
      partialSig: [{ pubkey: publicKeyOf(own), signature: elsewhere?.signature ?? new Uint8Array() }],
    });
    await expect(take(swapped)).rejects.toThrow('does not verify');
    const foreign = payment(p2wpkh).updateInput(0, {
      partialSig: [{ pubkey: publicKeyOf(other), signature: genuine?.signature ?? new Uint8Array() }],
    });
    await expect(take(foreign)).rejects.toThrow('does not verify');
  });

  test('is refused where the signature leaves outputs out', async () => {
    const answer = signed(payment(p2wpkh), Transaction.SIGHASH_NONE);
    await expect(take(answer)).rejects.toThrow('does not verify');
  });

  test('gives its signatures and nothing else', async () => {
    const answer = signed(payment(p2wpkh)).updateInput(0, { finalScriptWitness: Uint8Array.of(1, 0) });
    const psbt = await take(answer);
    expect(psbt.data.inputs[0]).toHaveProperty('partialSig');
    expect(psbt.data.inputs[0]).not.toHaveProperty('finalScriptWitness');
    expect(psbt.data.inputs[0]).not.toHaveProperty('sighashType');
  });

  test('is refused for a taproot output unless the signature is by its key and over everything', async () => {
    const unsigned = Transaction.fromBuffer(payment(p2tr).data.globalMap.unsignedTx.toBuffer());
    const digest = (type: number) => unsigned.hashForWitnessV1(0, [p2tr], [100_000n], type);
    const good = schnorr.sign(digest(Transaction.SIGHASH_DEFAULT), own);
    const answer = payment(p2tr).updateInput(0, { tapKeySig: good, tapInternalKey: schnorr.getPublicKey(other) });
    const psbt = await take(answer, payment(p2tr));
    expect(psbt.data.inputs[0]?.tapKeySig).toEqual(good);
    expect(psbt.data.inputs[0]).not.toHaveProperty('tapInternalKey');
    const none = Uint8Array.of(...schnorr.sign(digest(Transaction.SIGHASH_NONE), own), Transaction.SIGHASH_NONE);
    for (const tapKeySig of [none, schnorr.sign(digest(0), other), new Uint8Array(64), new Uint8Array(65).fill(3)])
      await expect(take(payment(p2tr).updateInput(0, { tapKeySig }), payment(p2tr))).rejects.toThrow('does not verify');
  });
});

describe('A71: an answer for a digest', () => {
  const hash = new Uint8Array(32).fill(7);
  const signer = (signature: Uint8Array) => {
    const [r, s] = [signature.slice(0, 32), signature.slice(32)].map((part) => Buffer.from(part).toString('hex'));
    return toCountersignSigner({ client: clientOf({ r, s, v: '00' }), signWith, publicKey: publicKeyOf(own) });
  };

  test('is refused unless the key signed this digest, by ECDSA', async () => {
    const ecdsa = (secret: Uint8Array, digest = hash) => secp256k1.sign(digest, secret, { prehash: false });
    expect(await signer(ecdsa(own)).sign(hash)).toEqual(ecdsa(own));
    await expect(signer(ecdsa(other)).sign(hash)).rejects.toThrow('did not sign');
    await expect(signer(ecdsa(own, new Uint8Array(32).fill(8))).sign(hash)).rejects.toThrow('did not sign');
    await expect(signer(new Uint8Array(10)).sign(hash)).rejects.toThrow('did not sign');
  });

  test('is refused unless the key signed this digest, by BIP-340', async () => {
    const good = schnorr.sign(hash, own);
    expect(await signer(good).signSchnorr?.(hash)).toEqual(good);
    await expect(signer(schnorr.sign(hash, other)).signSchnorr?.(hash)).rejects.toThrow('did not sign');
    await expect(signer(good).signSchnorr?.(new Uint8Array(32))).rejects.toThrow('did not sign');
  });
});

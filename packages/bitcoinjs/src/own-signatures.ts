import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { Psbt, script, Transaction } from 'bitcoinjs-lib';

type Input = Psbt['data']['inputs'][number];
/** What one answer adds to one input. */
type Signatures = Pick<Input, 'partialSig' | 'tapKeySig' | 'tapInternalKey'>;

/**
 * The signatures that an answer adds to each input of `psbt`. Throws unless each is of this transaction, over all of it, by a key that
 * the input's own script accepts.
 * SECURITY: A71: nothing else of the answer is taken. A service that lies could otherwise add final scripts, or a signature that commits
 * to no output.
 */
export function ownSignatures(psbt: Psbt, signedHex: string): ReadonlyMap<number, Signatures> {
  const signed = Psbt.fromHex(signedHex);
  if (!isSame(unsignedBytes(signed), unsignedBytes(psbt))) throw new Error('The service answered with another transaction.');
  const added = new Map<number, Signatures>();
  for (const [index, before] of psbt.data.inputs.entries()) {
    const after = signed.data.inputs[index] ?? {};
    const known = before.partialSig ?? [];
    const partialSig = (after.partialSig ?? []).filter(({ pubkey }) => !known.some((other) => isSame(other.pubkey, pubkey)));
    const tapKeySig = before.tapKeySig === undefined ? after.tapKeySig : undefined;
    const isOwn = [
      ...partialSig.map((each) => isOfScript(psbt, index, [each])),
      ...(tapKeySig === undefined ? [] : [isOfOutputKey(psbt, index, tapKeySig)]),
    ];
    if (isOwn.includes(false)) throw new Error(`The signature of input ${index} does not verify.`);
    if (isOwn.length === 0) continue;
    const tapInternalKey = before.tapInternalKey === undefined && tapKeySig !== undefined ? after.tapInternalKey : undefined;
    added.set(index, {
      ...(partialSig.length > 0 && { partialSig }),
      ...(tapKeySig !== undefined && { tapKeySig }),
      // The library expects it next to the signature.
      ...(tapInternalKey !== undefined && isKeyOf(tapInternalKey, spentBy(psbt)[index]?.script) && { tapInternalKey }),
    });
  }
  if (added.size === 0) throw new Error('The service added no signature to this transaction.');
  return added;
}

/** Whether ECDSA signatures are over everything, by keys of the input's script. The library computes the digest. */
function isOfScript(psbt: Psbt, index: number, partialSig: NonNullable<Input['partialSig']>): boolean {
  const copy = psbt.clone();
  const input = copy.data.inputs[index];
  // The signatures of others are theirs to check.
  delete input?.partialSig;
  return accepts(
    () =>
      partialSig.every(({ signature }) => script.signature.decode(signature).hashType === Transaction.SIGHASH_ALL) &&
      copy.updateInput(index, { partialSig }).validateSignaturesOfInput(index, verifyEcdsa),
  );
}

/** Whether a signature of BIP-341 is by the key of the output. A signature of 64 bytes covers the whole transaction. */
function isOfOutputKey(psbt: Psbt, index: number, signature: Uint8Array): boolean {
  return accepts(() => {
    const spent = spentBy(psbt);
    const outputKey = outputKeyOf(spent[index]?.script);
    if (signature.length !== 64 || outputKey === undefined) return false;
    const transaction = Transaction.fromBuffer(unsignedBytes(psbt));
    const scripts = spent.map((output) => output.script);
    const values = spent.map(({ value }) => value);
    return verifySchnorr(outputKey, transaction.hashForWitnessV1(index, scripts, values, Transaction.SIGHASH_DEFAULT), signature);
  });
}

/** What the inputs spend, as the caller described it. */
function spentBy(psbt: Psbt): { readonly script: Uint8Array; readonly value: bigint }[] {
  return psbt.data.inputs.map(({ witnessUtxo, nonWitnessUtxo }, index) => {
    const output =
      witnessUtxo ?? (nonWitnessUtxo && Transaction.fromBuffer(nonWitnessUtxo).outs[psbt.txInputs[index]?.index ?? -1]);
    if (output === undefined) throw new Error(`Input ${index} does not say what it spends.`);
    return output;
  });
}

/** BIP-341: OP_1 and a push of 32 bytes. */
function outputKeyOf(output: Uint8Array | undefined): Uint8Array | undefined {
  return output?.length === 34 && output[0] === 0x51 && output[1] === 0x20 ? output.subarray(2) : undefined;
}

/** BIP-341: whether `internalKey`, tweaked by its own hash and no scripts, is the key of the output. */
function isKeyOf(internalKey: Uint8Array, output: Uint8Array | undefined): boolean {
  const outputKey = outputKeyOf(output);
  return accepts(() => {
    const { lift_x: liftX, taggedHash } = schnorr.utils;
    const tweak = secp256k1.Point.Fn.fromBytes(taggedHash('TapTweak', internalKey));
    const point = liftX(BigInt(`0x${hexOf(internalKey)}`)).add(secp256k1.Point.BASE.multiply(tweak));
    return outputKey !== undefined && isSame(point.toBytes(true).subarray(1), outputKey);
  });
}

/** Whether `signature` is of `hash`, by ECDSA. */
export function verifyEcdsa(publicKey: Uint8Array, hash: Uint8Array, signature: Uint8Array): boolean {
  return accepts(() => secp256k1.verify(signature, hash, publicKey, { prehash: false }));
}

/** Whether `signature` is of `hash`, by BIP-340. Keys of 33 bytes are taken without their first. */
export function verifySchnorr(publicKey: Uint8Array, hash: Uint8Array, signature: Uint8Array): boolean {
  return accepts(() => schnorr.verify(signature, hash, publicKey.length === 33 ? publicKey.slice(1) : publicKey));
}

/** A key that is no point, a signature that cannot be read or a key that the script does not name throws: it does not verify either. */
function accepts(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    return false;
  }
}

const hexOf = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const unsignedBytes = (psbt: Psbt) => psbt.data.globalMap.unsignedTx.toBuffer();

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, position) => byte === other[position]);
}

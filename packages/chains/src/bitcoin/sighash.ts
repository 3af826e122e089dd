import { sha256 as portableSha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import type { Hash } from '../transaction.ts';
import type { Input, Unsigned } from './psbt.ts';
import { ByteWriter, type Output } from './serialize.ts';

/** The digests of signatures over a whole transaction: SIGHASH_ALL, and SIGHASH_DEFAULT for Taproot. */
export interface Sighash {
  /** The rule before segwit: the transaction with only this input's script filled in. */
  legacy(index: number, scriptCode: Uint8Array): Uint8Array;
  /** BIP-143, for segwit version 0. */
  segwit(index: number, scriptCode: Uint8Array, amount: bigint): Uint8Array;
  /** BIP-341, for the key path, without an annex. Needs the spent output of every input. */
  taproot(index: number): Uint8Array;
}

const SIGHASH_ALL = 1;
const none = new Uint8Array();
const OUTPOINT_BYTES = 36;
/** An input with an empty script: outpoint, length of the script, sequence. */
const INPUT_BYTES = OUTPOINT_BYTES + 1 + 4;
/** BIP-340: a tagged hash is that of the hash of the tag, twice, and what follows. */
const tapSighash = portableSha256(utf8ToBytes('TapSighash'));

/**
 * Prepares the digests of one transaction. Hashes the parts that inputs share once. A legacy digest hashes the whole transaction, so
 * that is serialized once.
 * `sha256` is a faster engine than the portable one.
 */
export function sighashOf({ version, lockTime, inputs, outputs }: Unsigned, sha256: Hash = portableSha256): Sighash {
  // All that is hashed is written to the same memory, one after the other: new memory costs as much as a short hash.
  const writer = new ByteWriter();
  const hashEach = (write: (input: Input) => void) => {
    for (const input of inputs) write(input);
    return writer.hashAndReset(sha256);
  };
  const shared = once(() => ({
    outpoints: hashEach(({ txId, vout }) => writer.outpoint(txId, vout)),
    sequences: hashEach(({ sequence }) => writer.uint32(sequence)),
    outputs: writer.outputs(outputs).hashAndReset(sha256),
  }));
  const doubled = once(() => ({
    outpoints: sha256(shared().outpoints),
    sequences: sha256(shared().sequences),
    outputs: sha256(shared().outputs),
  }));
  const withoutScripts = once(() => {
    const empty = inputs.map(({ txId, vout, sequence }) => ({ txid: txId, index: vout, finalScriptSig: none, sequence }));
    const firstScript = new ByteWriter().uint32(version).compactSize(inputs.length).done().length + OUTPOINT_BYTES;
    const bytes = new ByteWriter().transaction({ version, inputs: empty, outputs, lockTime }).uint32(SIGHASH_ALL).done();
    return { bytes, firstScript };
  });
  const spent = once(() => ({
    amounts: hashEach((input) => writer.uint64((input.spent as Output).amount)),
    scripts: hashEach((input) => writer.sized((input.spent as Output).script)),
  }));

  return {
    legacy(index, scriptCode) {
      const { bytes, firstScript } = withoutScripts();
      const at = firstScript + index * INPUT_BYTES;
      // The script takes the place of an empty one, which is a length of 0.
      writer
        .bytes(bytes.subarray(0, at))
        .sized(scriptCode)
        .bytes(bytes.subarray(at + 1));
      return sha256(writer.hashAndReset(sha256));
    },

    segwit(index, scriptCode, amount) {
      const hashes = doubled();
      const { txId, vout, sequence } = inputs[index] as Input;
      writer.uint32(version).bytes(hashes.outpoints).bytes(hashes.sequences);
      writer.outpoint(txId, vout).sized(scriptCode).uint64(amount).uint32(sequence);
      writer.bytes(hashes.outputs).uint32(lockTime).uint32(SIGHASH_ALL);
      return sha256(writer.hashAndReset(sha256));
    },

    taproot(index) {
      const { outpoints, sequences, outputs: created } = shared();
      const { amounts, scripts } = spent();
      writer.bytes(tapSighash).bytes(tapSighash);
      // Epoch 0 and hash type 0 (DEFAULT) come first; spend type 0 (key path, no annex) before the index.
      writer.bytes(Uint8Array.of(0, 0)).uint32(version).uint32(lockTime);
      for (const hash of [outpoints, amounts, scripts, sequences, created]) writer.bytes(hash);
      return writer.bytes(Uint8Array.of(0)).uint32(index).hashAndReset(sha256);
    },
  };
}

/** The value of a function that runs at most once. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

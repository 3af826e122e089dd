import { schnorr } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { Input, Unsigned } from './psbt.ts';
import { ByteWriter, doubleSha256, type Output } from './serialize.ts';

/** The digests of signatures over a whole transaction: SIGHASH_ALL, and SIGHASH_DEFAULT for Taproot. */
interface Sighash {
  /** The rule before segwit: the transaction with only this input's script filled in. */
  legacy(index: number, scriptCode: Uint8Array): Uint8Array;
  /** BIP-143, for segwit version 0. */
  segwit(index: number, scriptCode: Uint8Array, amount: bigint): Uint8Array;
  /** BIP-341, for the key path, without an annex. Needs the spent output of every input. */
  taproot(index: number): Uint8Array;
}

const SIGHASH_ALL = 1;
const none = new Uint8Array();

/** Prepares the digests of one transaction. Hashes the parts that inputs share once, so many inputs stay cheap. */
export function sighashOf({ version, lockTime, inputs, outputs }: Unsigned): Sighash {
  const each = (write: (writer: ByteWriter, input: Input) => void) => {
    const writer = new ByteWriter();
    for (const input of inputs) write(writer, input);
    return writer.done();
  };
  const outpoints = once(() => each((writer, { txId, vout }) => writer.outpoint(txId, vout)));
  const sequences = once(() => each((writer, { sequence }) => writer.uint32(sequence)));
  const created = once(() => new ByteWriter().outputs(outputs).done());
  const doubleHashes = once(
    () => [outpoints(), sequences(), created()].map((part) => doubleSha256(part)) as [Uint8Array, Uint8Array, Uint8Array],
  );
  const taprootHashes = once(() => {
    const spentOf = (input: Input) => input.spent as Output;
    const amounts = each((writer, input) => writer.uint64(spentOf(input).amount));
    const scripts = each((writer, input) => writer.sized(spentOf(input).script));
    return [outpoints(), amounts, scripts, sequences(), created()].map((part) => sha256(part));
  });

  return {
    legacy(index, scriptCode) {
      const scripted = inputs.map(({ txId, vout, sequence }, at) => {
        return { txid: txId, index: vout, finalScriptSig: at === index ? scriptCode : none, sequence };
      });
      const writer = new ByteWriter().transaction({ version, inputs: scripted, outputs, lockTime });
      return doubleSha256(writer.uint32(SIGHASH_ALL).done());
    },

    segwit(index, scriptCode, amount) {
      const [hashedOutpoints, hashedSequences, hashedOutputs] = doubleHashes();
      const { txId, vout, sequence } = inputs[index] as Input;
      const writer = new ByteWriter().uint32(version).bytes(hashedOutpoints).bytes(hashedSequences);
      writer.outpoint(txId, vout).sized(scriptCode).uint64(amount).uint32(sequence);
      return doubleSha256(writer.bytes(hashedOutputs).uint32(lockTime).uint32(SIGHASH_ALL).done());
    },

    taproot(index) {
      // Epoch 0 and hash type 0 (DEFAULT) come first; spend type 0 (key path, no annex) before the index.
      const writer = new ByteWriter().bytes(Uint8Array.of(0, 0)).uint32(version).uint32(lockTime);
      for (const hash of taprootHashes()) writer.bytes(hash);
      return schnorr.utils.taggedHash('TapSighash', writer.bytes(Uint8Array.of(0)).uint32(index).done());
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

import { schnorr } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { CompactSizeLen, RawOutput, VarBytes } from '@scure/btc-signer/script.js';
import { sha256x2 } from '@scure/btc-signer/utils.js';
import { concat } from '../shared/bytes.ts';
import type { Output, Psbt } from './psbt.ts';

/** The digests of signatures over a whole transaction: SIGHASH_ALL, and SIGHASH_DEFAULT for Taproot. */
interface Sighash {
  /** The rule before segwit: the transaction with only this input's script filled in. */
  legacy(index: number, scriptCode: Uint8Array): Uint8Array;
  /** BIP-143, for segwit version 0. */
  segwit(index: number, scriptCode: Uint8Array, amount: bigint): Uint8Array;
  /** BIP-341, for the key path, without an annex. Needs the spent output of every input. */
  taproot(index: number): Uint8Array;
}

const SIGHASH_ALL = uint(1, 4);

/** Prepares the digests of one transaction. Hashes the parts that inputs share once, so many inputs stay cheap. */
export function sighashOf({ version, lockTime, inputs, outputs }: Psbt): Sighash {
  const versionBytes = uint(version, 4);
  const lockBytes = uint(lockTime, 4);
  const outpoints = inputs.map(({ txId, vout }) => concat([txId.toReversed(), uint(vout, 4)]));
  const sequences = inputs.map(({ sequence }) => uint(sequence, 4));
  const outputBytes = concat(outputs.map(({ amount, script }) => RawOutput.encode({ amount, script })));
  const common = { outpoints: concat(outpoints), sequences: concat(sequences) };
  const double = { outpoints: sha256x2(common.outpoints), sequences: sha256x2(common.sequences), outputs: sha256x2(outputBytes) };
  let taprootCommon: Uint8Array | undefined;

  function hashForTaproot(): Uint8Array {
    const spent = inputs.map((input) => input.spent as Output);
    return concat([
      sha256(common.outpoints),
      sha256(concat(spent.map(({ amount }) => uint(amount, 8)))),
      sha256(concat(spent.map(({ script }) => VarBytes.encode(script)))),
      sha256(common.sequences),
      sha256(outputBytes),
    ]);
  }

  return {
    legacy(index, scriptCode) {
      const scripted = inputs.flatMap((_, at) => [
        outpoints[at] as Uint8Array,
        at === index ? VarBytes.encode(scriptCode) : Uint8Array.of(0),
        sequences[at] as Uint8Array,
      ]);
      const [inputCount, outputCount] = [CompactSizeLen.encode(inputs.length), CompactSizeLen.encode(outputs.length)];
      return sha256x2(concat([versionBytes, inputCount, ...scripted, outputCount, outputBytes, lockBytes, SIGHASH_ALL]));
    },

    segwit(index, scriptCode, amount) {
      const own = [outpoints[index] as Uint8Array, VarBytes.encode(scriptCode), uint(amount, 8), sequences[index] as Uint8Array];
      return sha256x2(concat([versionBytes, double.outpoints, double.sequences, ...own, double.outputs, lockBytes, SIGHASH_ALL]));
    },

    taproot(index) {
      taprootCommon ??= hashForTaproot();
      // Epoch 0 and hash type 0 (DEFAULT) come first; spend type 0 (key path, no annex) before the index.
      const message = [Uint8Array.of(0, 0), versionBytes, lockBytes, taprootCommon, Uint8Array.of(0), uint(index, 4)];
      return schnorr.utils.taggedHash('TapSighash', concat(message));
    },
  };
}

/** Little-endian. Negative numbers (versions below zero) are in two's complement. */
function uint(value: number | bigint, byteLength: 4 | 8): Uint8Array {
  const bytes = new Uint8Array(byteLength);
  const view = new DataView(bytes.buffer);
  if (byteLength === 8) view.setBigUint64(0, BigInt(value), true);
  else view.setUint32(0, Number(value), true);
  return bytes;
}

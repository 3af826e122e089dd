import { equalBytes } from '@noble/curves/utils.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { SigHash } from '@scure/btc-signer';
import { RawOldTx } from '@scure/btc-signer/script.js';
import { sha256x2 } from '@scure/btc-signer/utils.js';
import { concat } from '../ethereum/bytes.ts';
import { invalidTransaction } from '../ethereum/refusal.ts';
import type { SigningRequest } from '../transaction.ts';
import type { OwnScript } from './own-scripts.ts';
import type { Input, Output, Psbt } from './psbt.ts';

/** An input that the signer's key spends. */
export interface OwnInput {
  readonly index: number;
  readonly script: OwnScript;
  readonly spent: Output;
}

/** BIP-143 and the legacy rule put the sighash type into the digest as four bytes. */
const SIGHASH_ALL_BYTES = Uint8Array.of(SigHash.ALL, 0, 0, 0);

/**
 * The inputs that pay one of the given scripts, each checked to be one that may be signed now: no signature of this key yet,
 * only SIGHASH_ALL (DEFAULT for Taproot), and the previous transaction wherever the signature does not commit to the amount.
 */
export function findOwnInputs(
  { inputs }: Psbt,
  scripts: ReadonlyMap<string, OwnScript>,
  publicKey: Uint8Array,
): readonly OwnInput[] {
  const own = inputs.flatMap((input, index) => {
    const script = input.spent && scripts.get(bytesToHex(input.spent.script));
    return input.spent && script ? [{ index, script, spent: input.spent }] : [];
  });
  if (own.length === 0) throw invalidTransaction('no input of the transaction is spent by the signing key');
  for (const { index, script } of own) requireSignable(inputs[index] as Input, index, script, publicKey);
  if (own.some(({ script }) => script.kind === 'P2TR') && inputs.some(({ spent }) => spent === undefined)) {
    throw invalidTransaction('a Taproot signature needs the spent output of every input');
  }
  return own;
}

function requireSignable({ fields, proven }: Input, index: number, { kind }: OwnScript, publicKey: Uint8Array): void {
  const signed =
    fields.finalScriptSig?.length ||
    fields.finalScriptWitness?.length ||
    fields.tapKeySig !== undefined ||
    fields.partialSig?.some(([signer]) => equalBytes(signer, publicKey));
  if (signed) throw invalidTransaction(`input ${index} is already signed`);
  const wanted = kind === 'P2TR' ? SigHash.DEFAULT : SigHash.ALL;
  if ((fields.sighashType ?? wanted) !== wanted) {
    throw invalidTransaction(`input ${index} asks for a sighash type other than ${kind === 'P2TR' ? 'DEFAULT' : 'ALL'}`);
  }
  // SECURITY: a legacy signature does not commit to the amount, so that a wrong one would only show as a lost fee.
  if (kind === 'P2PKH' && !proven) throw invalidTransaction(`input ${index} needs its whole previous transaction`);
}

/** What has to be signed for an own input. */
export function signingRequest(psbt: Psbt, { index, script, spent }: OwnInput): SigningRequest {
  const { transaction, inputs } = psbt;
  switch (script.kind) {
    case 'P2TR': {
      const outputs = inputs.map((input) => input.spent as Output);
      const digest = transaction.preimageWitnessV1(
        index,
        outputs.map((output) => output.script),
        SigHash.DEFAULT,
        outputs.map((output) => output.amount),
      );
      return { kind: 'schnorr', digest, tapTweak: new Uint8Array() };
    }
    case 'P2PKH':
      return { kind: 'ecdsa', digest: legacyDigest(psbt, index, script.scriptCode) };
    default:
      return { kind: 'ecdsa', digest: transaction.preimageWitnessV0(index, script.scriptCode, SigHash.ALL, spent.amount) };
  }
}

/** The rule before BIP-143, for SIGHASH_ALL: the transaction with only this input's script filled in, and the sighash type. */
function legacyDigest({ transaction, inputs, outputs }: Psbt, index: number, scriptCode: Uint8Array): Uint8Array {
  const unsigned = RawOldTx.encode({
    version: transaction.version,
    inputs: inputs.map(({ fields, vout, sequence }, at) => ({
      txid: fields.txid as Uint8Array,
      index: vout,
      finalScriptSig: at === index ? scriptCode : new Uint8Array(),
      sequence,
    })),
    outputs: outputs.map(({ amount, script }) => ({ amount, script })),
    lockTime: transaction.lockTime,
  });
  return sha256x2(concat([unsigned, SIGHASH_ALL_BYTES]));
}

import type { Steps } from '@countersign/collections';
import { equalBytes } from '@noble/curves/utils.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { SigHash } from '@scure/btc-signer';
import { invalidTransaction } from '../shared/refusal.ts';
import type { Hash, SigningRequest } from '../transaction.ts';
import { whyNamedInputIsNotOwn } from './named-key.ts';
import type { OwnScript } from './own-scripts.ts';
import type { Input, Psbt } from './psbt.ts';
import type { Output } from './serialize.ts';
import { type Sighash, sighashOf } from './sighash.ts';

/** An input that the signer's key spends. */
export interface OwnInput {
  readonly index: number;
  readonly script: OwnScript;
  readonly spent: Output;
}

/**
 * The inputs that pay one of the given scripts. Checks that each may be signed now: this key has not signed it, it uses only
 * SIGHASH_ALL (DEFAULT for Taproot), and it includes the previous transaction where the signature does not commit to the amount.
 */
export function findOwnInputs(psbt: Psbt, scripts: ReadonlyMap<string, OwnScript>, publicKey: Uint8Array): readonly OwnInput[] {
  const { inputs } = psbt;
  const own = inputs.flatMap((input, index) => {
    const script = input.spent && scripts.get(bytesToHex(input.spent.script));
    return input.spent && script ? [{ index, script, spent: input.spent }] : [];
  });
  if (own.length === 0)
    throw invalidTransaction(whyNamedInputIsNotOwn(psbt, publicKey) ?? 'the signing key spends no input of the transaction');
  for (const { index, script } of own) requireSignable(inputs[index] as Input, index, script, publicKey);
  if (own.some(({ script }) => script.kind === 'P2TR') && inputs.some(({ spent }) => spent === undefined)) {
    throw invalidTransaction('a Taproot signature needs the spent output of every input');
  }
  return own;
}

function requireSignable(
  { records, proven }: Input,
  index: number,
  { kind, psbtFields }: OwnScript,
  publicKey: Uint8Array,
): void {
  const signed =
    records.finalScriptSig?.length ||
    records.finalScriptWitness !== undefined ||
    records.tapKeySig !== undefined ||
    records.partialSigners.some((signer) => equalBytes(signer, publicKey));
  if (signed) throw invalidTransaction(`input ${index} is already signed`);
  const wanted = kind === 'P2TR' ? SigHash.DEFAULT : SigHash.ALL;
  if ((records.sighashType ?? wanted) !== wanted) {
    throw invalidTransaction(`input ${index} asks for a sighash type other than ${kind === 'P2TR' ? 'DEFAULT' : 'ALL'}`);
  }
  // SECURITY: a legacy signature does not commit to the amount, so a wrong amount would only show as a lost fee.
  if (kind === 'P2PKH' && !proven)
    throw invalidTransaction(`input ${index} needs its whole previous transaction (non-witness UTXO)`);
  for (const name of ['redeemScript', 'witnessScript', 'tapInternalKey', 'tapMerkleRoot'] as const) {
    const [given, own] = [records[name], name === 'tapMerkleRoot' ? undefined : psbtFields[name]];
    if (given !== undefined && !(own && equalBytes(given, own)))
      throw invalidTransaction(`input ${index} has a ${name} that does not match the output it spends`);
  }
}

/** What to sign for the own inputs, in input order. SECURITY: D355: one step per input, because each legacy input hashes everything. */
export function* signingRequests(psbt: Psbt, own: readonly OwnInput[], sha256?: Hash): Steps<readonly SigningRequest[]> {
  const sighash = sighashOf(psbt, sha256);
  const requests: SigningRequest[] = [];
  for (const input of own) {
    if (requests.length > 0) yield undefined;
    requests.push(requestOf(input, sighash));
  }
  return requests;
}

function requestOf({ index, script, spent }: OwnInput, sighash: Sighash): SigningRequest {
  switch (script.kind) {
    case 'P2TR':
      return { kind: 'schnorr', digest: sighash.taproot(index), tapTweak: new Uint8Array() };
    case 'P2PKH':
      return { kind: 'ecdsa', digest: sighash.legacy(index, script.scriptCode) };
    default:
      return { kind: 'ecdsa', digest: sighash.segwit(index, script.scriptCode, spent.amount) };
  }
}

import { finished, mapInSteps, type Steps } from '@countersign/collections';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { SigHash } from '@scure/btc-signer';
import { parsePublicKey } from '../addresses/public-key.ts';
import { ChainError } from '../errors.ts';
import { concat } from '../shared/bytes.ts';
import {
  defineTransactionType,
  type HashEngines,
  type ParseContext,
  type ParsedTransaction,
  type RawSignature,
  type SignerKey,
  type SigningRequest,
} from '../transaction.ts';
import { bitcoinEffects, describeBitcoin } from './effects.ts';
import { feeOf } from './fee.ts';
import { partialSigRecord, plainRecord } from './input-records.ts';
import { keyUse, type NetworkName } from './network.ts';
import { findOwnInputs, type OwnInput, signingRequests } from './own-inputs.ts';
import { ownAddress, ownScripts } from './own-scripts.ts';
import { destination, policyView } from './policy-view.ts';
import { type Psbt, readPsbt } from './psbt.ts';
import { type PsbtMap, type PsbtRecord, writeMaps } from './psbt-maps.ts';
import type { Output } from './serialize.ts';
import { bitcoinTransactionHash } from './transaction-hash.ts';

/** A parsed PSBT and the inputs that its signer will sign. */
export interface ParsedBitcoinTransaction extends ParsedTransaction {
  readonly psbt: Psbt;
  /** That of the signer's address. */
  readonly network: NetworkName;
  readonly publicKeyHex: string;
  readonly ownInputs: readonly OwnInput[];
}

/**
 * Bitcoin: takes a PSBT in hex, returns the same PSBT with a partial signature on each input of the signing key, not finalized.
 *
 * A signer named by an address signs only inputs of that kind of address. A signer named by its key id signs every input that
 * pays one of its single-key scripts. Multisig and other scripts that contain the key are not signed.
 */
export const bitcoinTransaction = defineTransactionType<ParsedBitcoinTransaction>({
  id: 'TRANSACTION_TYPE_BITCOIN',
  curve: 'CURVE_SECP256K1',
  signatureLayout: 'PSBT',

  parse: (unsignedTransaction, context) => finished(parseInSteps(unsignedTransaction, context)),
  signingRequests: (parsed, signer, engines) => finished(requestsInSteps(parsed, signer, engines)),
  inSteps: { parse: parseInSteps, signingRequests: requestsInSteps },

  assemble(parsed, signer, signatures) {
    requireSameSigner(parsed, signer);
    if (signatures.length !== parsed.ownInputs.length) {
      throw new Error(`expected ${parsed.ownInputs.length} signatures, got ${signatures.length}`);
    }
    const publicKey = publicKeyOf(signer);
    const { maps } = parsed.psbt;
    const inputs = [...maps.inputs];
    parsed.ownInputs.forEach((own, position) => {
      const { bytes } = signatures[position] as RawSignature;
      if (bytes.length !== 64) throw new Error(`a signature has 64 bytes, got ${bytes.length}`);
      inputs[own.index] = [...(inputs[own.index] as PsbtMap), ...newRecords(parsed.psbt, own, publicKey, bytes)];
    });
    return bytesToHex(writeMaps({ ...maps, inputs }));
  },

  hash: bitcoinTransactionHash,
});

function* parseInSteps(unsignedTransaction: string, context: ParseContext): Steps<ParsedBitcoinTransaction> {
  const { signer, names, tweakPublicKey } = context;
  const publicKey = publicKeyOf(signer);
  const { network, kinds } = keyUse(signer.addressFormat);
  const psbt = yield* readPsbt(unsignedTransaction, context);
  const wanted = kinds.filter((kind) => kind !== 'P2TR' || namesTaproot(psbt));
  const scripts = ownScripts(publicKey, wanted, tweakPublicKey);
  const ownInputs = findOwnInputs(psbt, scripts, publicKey);
  const fee = feeOf(psbt, ownInputs);
  const destinations = yield* mapInSteps(psbt.outputs, ({ script }) => destination(script, network));
  const self = ownAddress((ownInputs[0] as OwnInput).script, network);
  const spending = { psbt, destinations, network, self, scripts, fee };
  const effects = bitcoinEffects(spending);
  const unparsed = destinations.flatMap(({ type }, index) =>
    type === 'unknown' ? [`output ${index} pays an unusual script that has no address`] : [],
  );
  if (!fee.known) unparsed.push(fee.reason);
  yield undefined;
  return {
    type: 'TRANSACTION_TYPE_BITCOIN',
    namespace: 'bitcoin.tx',
    policy: policyView(psbt, destinations, fee.known ? fee.satoshis : undefined),
    effects,
    signer: self,
    description: describeBitcoin(effects, spending, names),
    fullyParsed: unparsed.length === 0,
    unparsed,
    psbt,
    network,
    publicKeyHex: bytesToHex(publicKey),
    ownInputs,
  };
}

function requestsInSteps(
  parsed: ParsedBitcoinTransaction,
  signer: SignerKey,
  { sha256 }: HashEngines = {},
): Steps<readonly SigningRequest[]> {
  requireSameSigner(parsed, signer);
  return signingRequests(parsed.psbt, parsed.ownInputs, sha256);
}

/** Whether a Taproot script occurs. The signer's own costs a point multiplication, which most transactions need not pay. */
function namesTaproot({ inputs, outputs }: Psbt): boolean {
  const isTaproot = (output: Output | undefined) => output?.script.length === 34 && output.script[0] === 0x51;
  return inputs.some(({ spent }) => isTaproot(spent)) || outputs.some(isTaproot);
}

/** The signature of an own input, and the fields that a finalizer needs and the PSBT lacks. */
function newRecords(psbt: Psbt, own: OwnInput, publicKey: Uint8Array, signature: Uint8Array): readonly PsbtRecord[] {
  const given = psbt.inputs[own.index]?.records;
  const { kind, psbtFields } = own.script;
  const missing = (['redeemScript', 'witnessScript', 'tapInternalKey'] as const).flatMap((name) => {
    const value = psbtFields[name];
    return value === undefined || given?.[name] !== undefined ? [] : [plainRecord(name, value)];
  });
  const signed = kind === 'P2TR' ? plainRecord('tapKeySig', signature) : partialSigRecord(publicKey, derSignature(signature));
  return [...missing, signed];
}

function publicKeyOf(signer: SignerKey): Uint8Array {
  if (signer.curve !== 'CURVE_SECP256K1')
    throw new ChainError('INVALID_CURVE', `a Bitcoin transaction needs a secp256k1 key, not ${signer.curve}`);
  return parsePublicKey(signer.curve, signer.publicKey).compressed;
}

/** INVARIANT: the inputs were chosen for the key that signs. */
function requireSameSigner(parsed: ParsedBitcoinTransaction, signer: SignerKey): void {
  if (bytesToHex(publicKeyOf(signer)) !== parsed.publicKeyHex) throw new Error('the transaction was parsed for another signer');
}

/** DER of r and s followed by the sighash type, as scripts carry ECDSA signatures. */
function derSignature(compact: Uint8Array): Uint8Array {
  return concat([secp256k1.Signature.fromBytes(compact, 'compact').toBytes('der'), Uint8Array.of(SigHash.ALL)]);
}

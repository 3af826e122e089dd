import { sha256 as portableSha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { tron } from '../addresses/tron.ts';
import type { Effect } from '../effects/effect.ts';
import { sentenceOf } from '../effects/sentence.ts';
import { ChainError } from '../errors.ts';
import { concat, fromHexDigits, withoutPrefix } from '../shared/bytes.ts';
import { invalidTransaction } from '../shared/refusal.ts';
import { quoteText } from '../shared/text.ts';
import { defineTransactionType, type ParsedTransaction, type SignerKey } from '../transaction.ts';
import { TRX } from './assets.ts';
import type { ContractType } from './contract-type.ts';
import { contractTypes } from './contract-types.ts';
import { calls } from './effects.ts';
import { maxFee } from './fee.ts';
import { type Content, readMessage } from './protobuf.ts';
import { encodeSigned, rawDataOf, rawDataSpec } from './raw-data.ts';

/** A parsed Tron transaction. */
export interface ParsedTronTransaction extends ParsedTransaction {
  /** The signed bytes, exactly as received. */
  readonly rawData: Uint8Array;
  readonly ownerAddress: string;
}

/** java-tron, Constant.TRANSACTION_MAX_BYTE_SIZE. */
const MAX_BYTES = 500 * 1024;

const TYPE_URL = 'type.googleapis.com/protocol.';

/**
 * Tron: takes `raw_data_hex`, returns the hex of the signed protobuf Transaction, as `broadcasthex` takes it.
 *
 * The signer must own the account that acts, by its owner permission (`Permission_id` 0). Signing for an account that merely
 * lists the key, or by an active permission, is refused: only the chain knows what such a permission allows, so no policy could
 * judge it.
 */
export const tronTransaction = defineTransactionType<ParsedTronTransaction>({
  id: 'TRANSACTION_TYPE_TRON',
  curve: 'CURVE_SECP256K1',
  signatureLayout: 'FIXED',

  parse(unsignedTransaction, context) {
    const rawData = fromHex(unsignedTransaction);
    const maxItems = context.bounds?.listItems;
    const { contract: contracts, ...header } = readMessage(rawData, rawDataSpec, maxItems);
    requireHeader(header);
    const [entry, ...others] = contracts as readonly Content[];
    if (entry === undefined || others.length > 0) throw invalidTransaction('a transaction must carry exactly one contract');
    const { type, contract } = readContract(entry, maxItems);
    const ownerAddress = addressOf(context.signer);
    if (contract.owner_address !== ownerAddress) {
      throw invalidTransaction(`the transaction acts for ${contract.owner_address}, but the signing key is ${ownerAddress}`);
    }
    const reason = type.unparsed?.(contract, context.tokens);
    const fee = maxFee(type, header, rawData.length);
    const effects: readonly Effect[] = [
      ...type.effects(contract, context.tokens),
      ...(header.data === '' ? [] : [calls(`memo ${memoText(String(header.data))}`)]),
      { kind: 'FEE', asset: TRX, amount: fee, from: ownerAddress },
    ];
    return {
      type: 'TRANSACTION_TYPE_TRON',
      namespace: 'tron.tx',
      policy: {
        ...header,
        max_fee: fee,
        contract: [{ type: type.message.name, permission_id: entry.Permission_id as bigint, ...contract }],
      },
      effects,
      signer: ownerAddress,
      description: sentenceOf(effects, { ...context.names, self: ownerAddress, where: 'on Tron' }),
      fullyParsed: reason === undefined,
      unparsed: reason === undefined ? [] : [reason],
      ...(reason === undefined && isNew(type, contract) && { fullyParsedByInterfaces: false }),
      rawData,
      ownerAddress,
    };
  },

  signingRequests(parsed, signer, { sha256 = portableSha256 } = {}) {
    requireSameSigner(parsed, signer);
    return [{ kind: 'ecdsa', digest: sha256(parsed.rawData) }];
  },

  assemble(parsed, signer, signatures) {
    requireSameSigner(parsed, signer);
    const [signature] = signatures;
    if (signature === undefined || signatures.length !== 1) throw new Error(`expected 1 signature, got ${signatures.length}`);
    if (signature.bytes.length !== 64) throw new Error(`a signature has 64 bytes, got ${signature.bytes.length}`);
    // v is 27 or 28, as tronweb writes it. java-tron (Rsv.fromSignature) adds 27 to smaller values, so it takes both forms.
    return bytesToHex(encodeSigned(parsed.rawData, concat([signature.bytes, Uint8Array.of(27 + signature.recovery)])));
  },

  hash(signed, { sha256 = portableSha256 } = {}) {
    const bytes = fromHexDigits(signed);
    const rawData = bytes && rawDataOf(bytes);
    return rawData && bytesToHex(sha256(rawData));
  },
});

function fromHex(text: string): Uint8Array {
  const digits = withoutPrefix(text);
  if (digits.length > 2 * MAX_BYTES) throw invalidTransaction(`the transaction is longer than ${MAX_BYTES} bytes`);
  const bytes = fromHexDigits(digits);
  if (bytes === undefined) throw invalidTransaction('the transaction is not hex');
  return bytes;
}

function requireHeader({ ref_block_bytes, ref_block_hash, expiration }: Content): void {
  if (String(ref_block_bytes).length !== 4 || String(ref_block_hash).length !== 16) {
    throw invalidTransaction('the reference block must be 2 bytes of its height and 8 bytes of its hash');
  }
  if (expiration === 0n) throw invalidTransaction('the transaction has no expiration');
}

function readContract(entry: Content, maxItems: number | undefined): { readonly type: ContractType; readonly contract: Content } {
  const type = contractTypes.get(Number(entry.type));
  if (type === undefined) throw invalidTransaction(`contract type ${entry.type} is not supported`);
  if (entry.Permission_id !== 0n) throw invalidTransaction('Permission_id must be 0: only the owner permission can sign here');
  const { type_url, value } = entry.parameter as Content;
  if (type_url !== TYPE_URL + type.message.name) {
    throw invalidTransaction(
      `the contract type is ${type.message.name}, but its parameter has the type ${quoteText(String(type_url))}`,
    );
  }
  return { type, contract: readMessage(hexToBytes(String(value)), type.message, maxItems) };
}

/** Policies of language 1 were written when every call with data was not fully parsed. */
function isNew(type: ContractType, { data }: Content): boolean {
  return type.newInLanguage2 === true || (type.runsCode === true && data !== '');
}

function addressOf(signer: SignerKey): string {
  if (signer.curve !== 'CURVE_SECP256K1')
    throw new ChainError('INVALID_CURVE', `a Tron transaction needs a secp256k1 key, not ${signer.curve}`);
  return tron.encode(signer.publicKey);
}

/** INVARIANT: the owner was checked against the key that signs. */
function requireSameSigner(parsed: ParsedTronTransaction, signer: SignerKey): void {
  if (addressOf(signer) !== parsed.ownerAddress) throw new Error('the transaction was parsed for another signer');
}

function memoText(hex: string): string {
  const text = new TextDecoder().decode(hexToBytes(hex));
  // Text that does not survive the round trip is not UTF-8. Show the bytes instead of a guess.
  return bytesToHex(new TextEncoder().encode(text)) === hex ? quoteText(text) : `0x${hex}`;
}

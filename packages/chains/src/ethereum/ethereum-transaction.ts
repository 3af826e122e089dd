import { secp256k1 } from '@noble/curves/secp256k1.js';
import { equalBytes } from '@noble/curves/utils.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { ChainError } from '../errors.ts';
import { fromHexDigits } from '../shared/bytes.ts';
import { invalidTransaction } from '../shared/refusal.ts';
import { defineTransactionType, type ParsedTransaction, type RawSignature, type SignerKey } from '../transaction.ts';
import { fromBigEndian } from './integer.ts';
import { parseEnvelope, signEnvelope, type TransactionEnvelope } from './transaction-envelope.ts';
import { viewTransaction } from './transaction-view.ts';
import { isUnsigned } from './undelegation.ts';

/** A parsed Ethereum transaction: the common view, the bytes behind it, and the key whose address is `from`. */
export interface EthereumTransaction extends ParsedTransaction {
  readonly envelope: TransactionEnvelope;
  readonly signerPublicKey: Uint8Array;
  /** Its authorizations are shown as they will be, and have no signatures yet. */
  readonly awaitsAuthorizations?: true;
}

const id = 'TRANSACTION_TYPE_ETHEREUM';

/**
 * Ethereum: takes unsigned RLP in hex (`0x` optional), returns signed RLP in hex without `0x`.
 * Legacy with and without EIP-155, EIP-2930, EIP-1559, EIP-4844 (body without blobs) and EIP-7702.
 */
export const ethereumTransaction = defineTransactionType<EthereumTransaction>({
  id,
  curve: 'CURVE_SECP256K1',
  signatureLayout: 'RLP',

  parse(unsignedTransaction, context) {
    const { curve, publicKey } = context.signer;
    if (curve !== 'CURVE_SECP256K1')
      throw new ChainError('INVALID_CURVE', 'Ethereum transactions are signed with secp256k1 keys');
    const envelope = parseEnvelope(unsignedTransaction);
    const awaits = context.signsAuthorizations === true && envelope.fields.authorizationList?.some(isUnsigned);
    const parsed = { type: id, ...viewTransaction(envelope, context), envelope, signerPublicKey: publicKey };
    return awaits === true ? { ...parsed, awaitsAuthorizations: true } : parsed;
  },

  signingRequests(parsed, signer, { keccak256 = keccak_256 } = {}) {
    checkSigner(parsed, signer);
    // SECURITY: D1002: the authorizations that policies saw have to be those of the signed bytes.
    if (parsed.awaitsAuthorizations) throw new TypeError('the authorizations of the transaction are not signed yet');
    return [{ kind: 'ecdsa', digest: keccak256(parsed.envelope.signingBytes) }];
  },

  assemble(parsed, signer, signatures) {
    checkSigner(parsed, signer);
    return bytesToHex(signEnvelope(parsed.envelope, readSignature(signatures)));
  },

  hash(signed, { keccak256 = keccak_256 } = {}) {
    const bytes = fromHexDigits(signed);
    return bytes && `0x${bytesToHex(keccak256(bytes))}`;
  },
});

/** INVARIANT: the signing key is the one whose address policies saw as `from`. */
function checkSigner(parsed: EthereumTransaction, signer: SignerKey): void {
  if (!equalBytes(parsed.signerPublicKey, signer.publicKey)) {
    throw invalidTransaction('the transaction was parsed for another signer');
  }
}

function readSignature(signatures: readonly RawSignature[]): { r: bigint; s: bigint; yParity: 0 | 1 } {
  const [signature, ...others] = signatures;
  if (signature === undefined || others.length > 0 || signature.bytes.length !== 64) {
    throw invalidTransaction('an Ethereum transaction takes exactly one signature of 64 bytes');
  }
  const r = fromBigEndian(signature.bytes.subarray(0, 32));
  const s = fromBigEndian(signature.bytes.subarray(32));
  // EIP-2: a chain refuses an s in the upper half of its range.
  if (r === 0n || s === 0n || r >= order || s > order / 2n) throw invalidTransaction('the signature is not canonical (low s)');
  return { r, s, yParity: signature.recovery };
}

const order = secp256k1.Point.CURVE().n;

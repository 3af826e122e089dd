import { readFileSync } from 'node:fs';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { hexToBytes } from '@noble/hashes/utils.js';
import type { RawSignature, SignerKey, SigningRequest } from '../../src/transaction.ts';
import { type ParsedTronTransaction, tronTransaction } from '../../src/tron/index.ts';
import type { Json } from '../solana/support.ts';

interface VectorFile {
  readonly signer: { readonly secretKeyHex: string; readonly address: string };
  readonly transactions: readonly {
    readonly name: string;
    readonly unsignedTransaction: string;
    readonly txId: string;
    readonly signedTransaction: string;
    readonly expected: { readonly [field: string]: Json };
    readonly fullyParsed: boolean;
    readonly description?: string;
  }[];
  readonly refused: readonly { readonly name: string; readonly unsignedTransaction: string; readonly message: string }[];
}

export const vectors: VectorFile = JSON.parse(
  readFileSync(new URL('../../../../conformance/transactions/tron.json', import.meta.url), 'utf8'),
);

export const secretKey = hexToBytes(vectors.signer.secretKeyHex);
export const signer: SignerKey = { curve: 'CURVE_SECP256K1', publicKey: secp256k1.getPublicKey(secretKey) };

export function parse(unsignedTransaction: string): ParsedTronTransaction {
  return tronTransaction.parse(unsignedTransaction, { signer, interfaces: [] });
}

/** Signs as a vault would. */
export function signRequest(request: SigningRequest): RawSignature {
  if (request.kind !== 'ecdsa') throw new Error(`unexpected request ${request.kind}`);
  const recovered = secp256k1.sign(request.digest, secretKey, { prehash: false, format: 'recovered' });
  return { bytes: recovered.subarray(1), recovery: recovered[0] as 0 | 1 };
}

export function sign(parsed: ParsedTronTransaction): string {
  return tronTransaction.assemble(parsed, signer, tronTransaction.signingRequests(parsed, signer).map(signRequest));
}

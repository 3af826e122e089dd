import { readFileSync } from 'node:fs';
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { hexToBytes } from '@noble/hashes/utils.js';
import { taprootTweakPrivKey } from '@scure/btc-signer/utils.js';
import { bitcoinTransaction, type ParsedBitcoinTransaction } from '../../src/bitcoin/index.ts';
import type { RawSignature, SignerKey, SigningRequest } from '../../src/transaction.ts';
import type { Json } from '../solana/support.ts';

export interface Vector {
  readonly name: string;
  readonly addressFormat?: string;
  readonly unsignedTransaction: string;
  readonly signedTransaction: string;
  readonly ownInputs: readonly number[];
  readonly finalTransaction?: string;
  readonly expected: Json;
  readonly fullyParsed: boolean;
  readonly description?: string;
}

interface VectorFile {
  readonly signer: { readonly secretKeyHex: string; readonly publicKeyHex: string };
  readonly transactions: readonly Vector[];
}

export function readVectors<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../../../../conformance/transactions/${name}.json`, import.meta.url), 'utf8'));
}

export const vectors = readVectors<VectorFile>('bitcoin');
export const secretKey = hexToBytes(vectors.signer.secretKeyHex);
export const publicKey = hexToBytes(vectors.signer.publicKeyHex);

/** The vector of that name. */
export function vector(name: string): Vector {
  const found = vectors.transactions.find((entry) => entry.name === name);
  if (found === undefined) throw new Error(`no vector ${name}`);
  return found;
}

export function signerFor(addressFormat?: string): SignerKey {
  return { curve: 'CURVE_SECP256K1', publicKey, ...(addressFormat !== undefined && { addressFormat }) };
}

export function parse(psbtHex: string, addressFormat?: string): ParsedBitcoinTransaction {
  return bitcoinTransaction.parse(psbtHex, { signer: signerFor(addressFormat), interfaces: [] });
}

/** Signs as a vault would: RFC 6979, and BIP-340 without auxiliary randomness so that tests can compare bytes. */
export function signRequest(request: SigningRequest): RawSignature {
  if (request.kind === 'ecdsa') {
    const recovered = secp256k1.sign(request.digest, secretKey, { prehash: false, format: 'recovered' });
    return { bytes: recovered.subarray(1), recovery: recovered[0] as 0 | 1 };
  }
  if (request.kind !== 'schnorr' || request.tapTweak === undefined) throw new Error(`unexpected request ${request.kind}`);
  const tweaked = taprootTweakPrivKey(secretKey, request.tapTweak);
  return { bytes: schnorr.sign(request.digest, tweaked, new Uint8Array(32)), recovery: 0 };
}

export function sign(parsed: ParsedBitcoinTransaction): string {
  const signer = signerFor();
  return bitcoinTransaction.assemble(parsed, signer, bitcoinTransaction.signingRequests(parsed, signer).map(signRequest));
}

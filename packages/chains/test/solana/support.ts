import { readFileSync } from 'node:fs';
import type { PolicyValue } from '@countersign/policy';
import { ed25519 } from '@noble/curves/ed25519.js';
import { hexToBytes } from '@noble/hashes/utils.js';
import { type ParsedSolanaTransaction, solanaTransaction } from '../../src/solana/index.ts';
import type { ContractInterface, SignerKey } from '../../src/transaction.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export interface Vector {
  readonly name: string;
  readonly unsignedTransaction: string;
  readonly signedTransaction: string;
  readonly expected: { readonly [key: string]: Json } & { readonly fullyParsed: boolean };
}

interface VectorFile {
  readonly signer: { readonly secretKeyHex: string; readonly publicKeyHex: string; readonly address: string };
  readonly transactions: readonly Vector[];
}

const path = new URL('../../../../conformance/transactions/solana.json', import.meta.url);

export const vectors: VectorFile = JSON.parse(readFileSync(path, 'utf8'));

export const secretKey = hexToBytes(vectors.signer.secretKeyHex);

export const signer: SignerKey = { curve: 'CURVE_ED25519', publicKey: hexToBytes(vectors.signer.publicKeyHex) };

/** The vector of that name. */
export function vector(name: string): Vector {
  const found = vectors.transactions.find((entry) => entry.name === name);
  if (found === undefined) throw new Error(`no vector ${name}`);
  return found;
}

export function parse(unsignedTransaction: string, interfaces: readonly ContractInterface[] = []): ParsedSolanaTransaction {
  return solanaTransaction.parse(unsignedTransaction, { signer, interfaces });
}

/** Signs as a vault would and gives the assembled transaction. */
export function sign(parsed: ParsedSolanaTransaction, key: SignerKey = signer, secret: Uint8Array = secretKey): string {
  const signatures = solanaTransaction.signingRequests(parsed, key).map((request) => {
    if (request.kind !== 'ed25519') throw new Error(`unexpected request ${request.kind}`);
    return { bytes: ed25519.sign(request.message, secret), recovery: 0 as const };
  });
  return solanaTransaction.assemble(parsed, key, signatures);
}

/** A policy value as JSON, with integers as decimal text. */
export function toJson(value: PolicyValue | undefined): Json {
  if (value === undefined) return null;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(toJson);
  const members = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(members.map(([name, member]) => [name, toJson(member)]));
}

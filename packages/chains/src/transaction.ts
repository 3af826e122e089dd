import type { Curve } from './curve.ts';

/** A value that policies evaluate. Integers are always bigint; dynamic maps (call arguments, typed-data messages) are Map, fixed records are plain objects. */
export type PolicyValue =
  | boolean
  | bigint
  | string
  | readonly PolicyValue[]
  | { readonly [field: string]: PolicyValue }
  | ReadonlyMap<string, PolicyValue>;

/** The one view of a transaction that policy, people and the log share. */
export interface ParsedTransaction {
  readonly type: string;
  /** The namespace policies see and its value, for example `eth.tx` or `solana.tx`. A field that does not exist for this transaction is absent, never empty. */
  readonly namespace: string;
  readonly policy: { readonly [field: string]: PolicyValue };
  /** Short, plain and complete enough to decide on: "send 1.5 ETH to 0x… on chain 1". */
  readonly description: string;
  /** True only when every byte that has an effect was understood. */
  readonly fullyParsed: boolean;
  /** Why `fullyParsed` is false, one plain sentence each. */
  readonly unparsed: readonly string[];
}

/** The key that is to sign, as far as a parser may know it: no secret. */
export interface SignerKey {
  readonly curve: Curve;
  /** Compressed (33 bytes) for secp256k1 and P-256, 32 bytes for ed25519. */
  readonly publicKey: Uint8Array;
  /** The address format the caller named the key by, if it was named by an address. */
  readonly addressFormat?: string;
}

/** A stored ABI or IDL that call data may be decoded against. */
export interface ContractInterface {
  readonly kind: 'ethereum' | 'solana';
  readonly address: string;
  /** The JSON text as stored. */
  readonly json: string;
}

export interface ParseContext {
  readonly signer: SignerKey;
  readonly interfaces: readonly ContractInterface[];
}

/** One signature that a transaction needs. The vault understands exactly these. */
export type SigningRequest =
  | { readonly kind: 'ecdsa'; readonly digest: Uint8Array }
  | { readonly kind: 'ed25519'; readonly message: Uint8Array }
  /** BIP-340; with `tapTweak` the key is tweaked by it first (BIP-341; an empty array is a key-path spend without scripts). */
  | { readonly kind: 'schnorr'; readonly digest: Uint8Array; readonly tapTweak?: Uint8Array };

/** 64 bytes r || s (R || s for ed25519 and Schnorr), and the recovery bit for ECDSA. */
export interface RawSignature {
  readonly bytes: Uint8Array;
  readonly recovery: 0 | 1;
}

/**
 * One kind of transaction the service signs: one frozen entry in a table.
 * INVARIANT: what `signingRequests` asks to sign commits to exactly the bytes that `parse` read.
 */
export interface TransactionType<Parsed extends ParsedTransaction = ParsedTransaction> {
  readonly id: string;
  readonly curve: Curve;
  /** Throws ChainError INVALID_TRANSACTION for anything that is not canonical, complete and unsigned. */
  parse(unsignedTransaction: string, context: ParseContext): Parsed;
  signingRequests(parsed: Parsed, signer: SignerKey): readonly SigningRequest[];
  /** The signed transaction as the caller receives it; signatures are in the order of the requests. */
  assemble(parsed: Parsed, signer: SignerKey, signatures: readonly RawSignature[]): string;
}

export function defineTransactionType<P extends ParsedTransaction>(type: TransactionType<P>): TransactionType<P> {
  return Object.freeze(type);
}

import type { Steps } from '@countersign/collections';
import type { PolicyValue } from '@countersign/policy';
import type { Curve } from './curve.ts';
import type { Effect } from './effects/effect.ts';
import type { Names } from './effects/sentence.ts';
import type { TokenList } from './effects/token-list.ts';
import type { ParseBounds } from './parse-bounds.ts';

/** The one view of a transaction that policies, people and the log share. */
export interface ParsedTransaction {
  readonly type: string;
  /** The namespace that policies see, for example `eth.tx`. A field that this transaction lacks is absent, never empty. */
  readonly namespace: string;
  readonly policy: { readonly [field: string]: PolicyValue };
  /**
   * Everything that the signature does.
   * INVARIANT: `fullyParsed` is true only if every effect of every part is here and none is UNKNOWN.
   */
  readonly effects: readonly Effect[];
  /** The address of the signing key, as `effects` name it. */
  readonly signer?: string;
  /** Short, plain and complete enough to decide on: "send 1.5 ETH to 0x… on Ethereum". */
  readonly description: string;
  /** True only when every byte with an effect was understood. */
  readonly fullyParsed: boolean;
  /** Why `fullyParsed` is false, one plain sentence for each reason. */
  readonly unparsed: readonly string[];
  /**
   * As `fullyParsed`, counting only what the organization's own interfaces decode, without the contracts that the service knows. Absent
   * where the two are the same. Policies see this as `tx.fully_parsed`, so that a service that learns a contract widens none of them.
   */
  readonly fullyParsedByInterfaces?: boolean;
}

/** The signing key as parsers see it, without any secret. */
export interface SignerKey {
  readonly curve: Curve;
  /** Compressed (33 bytes) for secp256k1 and P-256, 32 bytes for ed25519. */
  readonly publicKey: Uint8Array;
  /** The address format, if the caller named the key by an address. */
  readonly addressFormat?: string;
}

/** A stored ABI or IDL for decoding call data, or an ERC-7730 descriptor for showing it. */
export interface ContractInterface {
  readonly kind: 'ethereum' | 'solana' | 'erc7730';
  readonly address: string;
  /** The JSON text as stored. */
  readonly json: string;
}

/** A hash of bytes in one go. */
export type Hash = (bytes: Uint8Array) => Uint8Array;

/** Faster engines than the portable ones, which are the defaults. */
export interface HashEngines {
  readonly sha256?: Hash;
  readonly keccak256?: Hash;
}

export type TweakPublicKey = (publicKey: Uint8Array, tweak: Uint8Array) => Uint8Array;

export interface ParseContext extends HashEngines {
  readonly signer: SignerKey;
  readonly interfaces: readonly ContractInterface[];
  /** Adds `tweak` times the generator to a compressed secp256k1 key. A faster engine than the portable one, which is the default. */
  readonly tweakPublicKey?: TweakPublicKey;
  /** An Ethereum authorization without a signature is one that the key is to sign before the transaction. Otherwise it is nobody's. */
  readonly signsAuthorizations?: boolean;
  /** For new requests. Without it, parsers do any amount of work that the length allows. */
  readonly bounds?: ParseBounds;
  /** Symbols and decimals of tokens. Without it only coins have them. */
  readonly tokens?: TokenList;
  /** What people call addresses, and the wallet or key that signs. */
  readonly names?: Pick<Names, 'contact' | 'source'>;
  /** Earlier rules: a stored ERC-7730 descriptor counts as an interface, and its words replace the description of the call. */
  readonly descriptorsVouch?: boolean;
  /** Earlier rules: a message whose whole content is a hash shows what is signed. */
  readonly hashMessagesShow?: boolean;
  /**
   * The public key, uncompressed (65 bytes), that made an ECDSA signature on secp256k1 with r in range and a low s. Undefined where no
   * key made it. Without this function, portable code does the same, many times slower.
   */
  recoverPublicKey?(digest: Uint8Array, r: bigint, s: bigint, yParity: 0 | 1): Uint8Array | undefined;
}

/** One signature that a transaction needs. The vault understands exactly these kinds. */
export type SigningRequest =
  | { readonly kind: 'ecdsa'; readonly digest: Uint8Array }
  | { readonly kind: 'ed25519'; readonly message: Uint8Array }
  /** BIP-340. `tapTweak` first tweaks the key (BIP-341); an empty array means a key-path spend without scripts. */
  | { readonly kind: 'schnorr'; readonly digest: Uint8Array; readonly tapTweak?: Uint8Array };

/** 64 bytes r || s (R || s for ed25519 and Schnorr), and the recovery bit for ECDSA. */
export interface RawSignature {
  readonly bytes: Uint8Array;
  readonly recovery: 0 | 1;
}

/** At one place of fixed length; as the last two integers of an RLP list; in the records of a PSBT. */
export type SignatureLayout = 'FIXED' | 'RLP' | 'PSBT';

/**
 * One transaction type that the service signs, a frozen entry in the table.
 * INVARIANT: what `signingRequests` asks to sign commits to exactly the bytes that `parse` read.
 */
export interface TransactionType<Parsed extends ParsedTransaction = ParsedTransaction> {
  readonly id: string;
  readonly curve: Curve;
  /** Where a signed transaction has its signatures, for a reader that has to find them again. */
  readonly signatureLayout: SignatureLayout;
  /** Throws ChainError INVALID_TRANSACTION unless the transaction is canonical, complete and unsigned. */
  parse(unsignedTransaction: string, context: ParseContext): Parsed;
  signingRequests(parsed: Parsed, signer: SignerKey, engines?: HashEngines): readonly SigningRequest[];
  /** Like `parse` and `signingRequests`, for types whose largest transactions take long. */
  readonly inSteps?: {
    parse(unsignedTransaction: string, context: ParseContext): Steps<Parsed>;
    signingRequests(parsed: Parsed, signer: SignerKey, engines?: HashEngines): Steps<readonly SigningRequest[]>;
  };
  /** The signed transaction as the caller receives it. Signatures are in the order of the requests. */
  assemble(parsed: Parsed, signer: SignerKey, signatures: readonly RawSignature[]): string;
  /**
   * The name of an assembled transaction on its chain, under which it is found once it was sent. Undefined while signatures are missing
   * that determine it.
   */
  hash(signedTransaction: string, engines?: HashEngines): string | undefined;
}

export function defineTransactionType<P extends ParsedTransaction>(type: TransactionType<P>): TransactionType<P> {
  return Object.freeze(type);
}

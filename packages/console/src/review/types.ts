import type { Client, StampedRequest } from '@countersign/client';
import type { EffectShape } from '@countersign/contract';
import type { Person } from './person.ts';
import type { NamedRecord, RecordProof } from './proof/prove-record.ts';

type Answer<Name extends keyof Client> = Client[Name] extends (...given: never[]) => Promise<infer A> ? A : never;

/** Names known to the organization, as the service states them. A check keeps those that the log proves. */
export interface Knowledge {
  readonly contacts: readonly Answer<'listContacts'>['contacts'][number][];
  readonly tokens: Answer<'listTokens'>['tokens'];
  readonly interfaces: readonly Answer<'listSmartContractInterfaces'>['smartContractInterfaces'][number][];
}

/** The keys that sign a request or that it names by their ids, as the service states them. */
export interface StatedKeys {
  readonly wallets: Answer<'listWallets'>['wallets'];
  readonly accounts: Answer<'listWalletAccounts'>['accounts'];
  readonly privateKeys: readonly Answer<'getPrivateKey'>['privateKey'][];
}

/** Public data of the signing key. */
export interface Signer {
  readonly curve: 'CURVE_SECP256K1' | 'CURVE_ED25519' | 'CURVE_P256';
  readonly publicKey: string;
  readonly addressFormat?: string | undefined;
  /** The id of a private key. */
  readonly keyId?: string | undefined;
  /** The name of the wallet or of the private key. */
  readonly source?: { readonly kind: 'wallet' | 'private key'; readonly name: string } | undefined;
  /** The records that prove the name: that the address is of the wallet, and that the wallet has the name. */
  readonly records?: readonly NamedRecord[];
}

/** A name that the service states for something in a request. Without a proof it is not shown as a name. */
export interface NameClaim {
  readonly kind: 'contact' | 'wallet' | 'private key' | 'token' | 'interface';
  readonly name: string;
  /** The address, for an interface that of its contract, or the CAIP-19 name of a token. */
  readonly address: string;
  readonly proof: RecordProof | undefined;
}

/** A wallet or key that a request names by its id, or an account by its address. */
export interface KeyClaim {
  readonly kind: 'wallet' | 'private key' | 'account';
  /** As the request states it. */
  readonly id: string;
  /** The name that the service states, for an account that of its wallet. Undefined for a key that it does not show. Not shown without a proof. */
  readonly name: string | undefined;
  /** Of an account, proven with the name. */
  readonly address?: string | undefined;
  readonly proof: RecordProof | undefined;
}

/** Result of decoding the stamped bytes in this browser. */
export interface Reading {
  readonly sentence: string;
  readonly effects: readonly EffectShape[];
  /** The same effects for people: with checksums, and with the contracts of tokens that the organization listed. */
  readonly displayed: readonly EffectShape[];
  readonly fullyParsed: boolean;
  readonly unparsed: readonly string[];
  /** The names that the service states for addresses and assets of the request, and their proofs. */
  readonly names: readonly NameClaim[];
  /** What it replaces, for a transaction with the nonce of a sent one. */
  readonly replaces?: ReplacedReading;
  /** Whether the service shows the same effects. */
  readonly agrees: boolean;
}

/** A sent transaction that a request replaces, as this browser decoded it from what its requester stamped. */
export interface ReplacedReading {
  readonly kind: 'SPEED_UP' | 'CANCEL';
  readonly sentence: string;
  /** The activity that sent it, and those that sent what it replaced itself. */
  readonly activityIds: readonly [string, ...string[]];
  /** No request stamped its gas limit. */
  readonly leavesGasLimit: boolean;
}

/** A check, and the people who stamped the activity. */
export type Check = Checked & { readonly people?: readonly Person[] };

/**
 * Verification result of an activity.
 * `mismatch`: the response differs from the stamped message. `hidden`: the service hides the message. `read`: a decoded signature request.
 * `plain`: not a signature request, only parameters. `unread`: a signature request that this browser cannot decode.
 */
export type Checked =
  | { readonly state: 'mismatch' | 'hidden' }
  | { readonly state: 'plain'; readonly request: StampedRequest; readonly keys: readonly KeyClaim[] }
  | { readonly state: 'unread'; readonly request: StampedRequest }
  | { readonly state: 'read'; readonly request: StampedRequest; readonly reading: Reading; readonly signer: Signer };

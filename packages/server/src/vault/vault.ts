import type { Curve, RawSignature, SigningRequest } from '@countersign/chains';
import type { MnemonicLanguage } from '@countersign/contract';
import type {
  ActivityRow,
  ArchivedRow,
  EventRow,
  LogEntryRow,
  LogStateRow,
  MailEventRow,
  SessionUseRow,
  UsagePointRow,
} from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import type { AtRest } from './at-rest/at-rest.ts';
import type { TargetUse } from './envelope.ts';
import type { RpcKeyName, RpcOperation, SignedRpc } from './keys/rpc-key.ts';
import type { ServiceKeyName, SigningServiceKey } from './keys/service-keys.ts';
import type { SignedSignIn, SignInRequest } from './keys/sign-in-key.ts';
import type { RootKeyState } from './root-key/availability.ts';
import type { Signer } from './secp256k1/load.ts';
import type { HpkeMessage } from './transfers/hpke.ts';

/**
 * The organization whose secrets a call touches. Every string fits; the mark exists in types alone. The guard demands it of the first
 * argument, so that it never takes another id for the organization's.
 */
export type OrganizationId = string & { readonly idOf?: 'organization' };

/** Names a key to sign with: a private key, or an account derived from a wallet's seed. */
export type KeyReference =
  | { readonly kind: 'privateKey'; readonly id: string; readonly curve: Curve }
  | { readonly kind: 'account'; readonly id: string; readonly walletId: string; readonly curve: Curve; readonly path: string };

/** What an account needs to be derived. */
export interface AccountDerivation {
  readonly curve: Curve;
  readonly path: string;
}

/** The outcome of an import. `targetId` names the target that the secret was encrypted to: the target is then used up. */
export type Imported<T> =
  | ({ readonly outcome: 'TAKEN'; readonly targetId: string } & T)
  /** The message was encrypted to none of the targets, or altered on the way. */
  | { readonly outcome: 'UNREADABLE' }
  /** The message does not hold a recovery phrase, or a private key of the curve. */
  | { readonly outcome: 'UNFIT'; readonly targetId: string };

/** A wallet's recovery phrase, encrypted to the holder of a key. */
export interface Exported {
  readonly message: HpkeMessage;
  /** The language of the phrase that the wallet's keys come from. From another language, other software derives other keys. */
  readonly ownLanguage: MnemonicLanguage;
}

/** The part of the store that the vault uses: secrets, and its own wrapped keys. */
export type VaultStore = Pick<Store, 'vault' | 'secrets'>;

/** Facts about an open vault for its operator. No secrets. */
export interface VaultFacts {
  /** The root key of the database when the vault was opened. */
  readonly rootKeyId: string;
  /** Where the root key comes from, for instance the path of a file. */
  readonly rootKeySource: string;
  /** Which code signs with secp256k1. */
  readonly signer: Signer;
  /** Why verification is slower, without tables. Undefined if the addon is in use. */
  readonly withoutTables?: string;
  /** One plain sentence each. The service logs them when it starts. */
  readonly warnings: readonly string[];
}

/** The private keys and wallets of organizations. Stored secrets stay sealed; public keys and signatures come out. */
export interface VaultKeys {
  generatePrivateKey(
    organizationId: OrganizationId,
    privateKeyId: string,
    curve: Curve,
  ): Promise<{ readonly publicKey: Uint8Array; readonly ciphertext: Uint8Array }>;
  /** `owner` is the organization that the scheduler charges: the parent, if the wallet is for a new organization. */
  generateWallet(
    organizationId: OrganizationId,
    walletId: string,
    mnemonicLength: number,
    accounts: readonly AccountDerivation[],
    owner?: string,
  ): Promise<{ readonly ciphertext: Uint8Array; readonly publicKeys: readonly Uint8Array[] }>;
  /** Public keys of further accounts of a stored wallet. */
  deriveAccounts(
    organizationId: OrganizationId,
    walletId: string,
    accounts: readonly AccountDerivation[],
  ): Promise<readonly Uint8Array[]>;
  /**
   * Signs every request with one key, in order.
   * INVARIANT: each signature was verified against `publicKey` before it is released; ECDSA is RFC 6979, low-s and recoverable.
   * Rejects with SignatureError, and releases nothing, when a signature does not verify or `publicKey` does not belong to the key.
   */
  sign(
    organizationId: OrganizationId,
    key: KeyReference,
    publicKey: Uint8Array,
    requests: readonly SigningRequest[],
  ): Promise<readonly RawSignature[]>;
}

/** Secrets that enter or leave the vault, always encrypted: to a key of the other side, or to a target that the vault made. */
export interface VaultTransfers {
  /** Makes a key that others can encrypt to, uncompressed. The caller keeps the sealed private half and deletes it after one use. */
  createTarget(
    organizationId: OrganizationId,
    targetId: string,
    use: TargetUse,
  ): Promise<{ readonly publicKey: Uint8Array; readonly ciphertext: Uint8Array }>;
  /**
   * The plaintext of a message to a MESSAGE target whose sealed private half the caller kept. Undefined when the message was encrypted
   * to another key or altered. Throws VaultError when `sealedTarget` is not the sealed half of this target.
   */
  openMessage(
    organizationId: OrganizationId,
    targetId: string,
    sealedTarget: Uint8Array,
    message: HpkeMessage,
  ): Promise<Uint8Array | undefined>;
  /**
   * Takes a client secret that was encrypted to the service key `clientSecretReceiver`, and seals it. Undefined if it was encrypted to
   * another key or altered, or is not a client secret.
   */
  importClientSecret(organizationId: OrganizationId, secretId: string, envelope: Uint8Array): Promise<Uint8Array | undefined>;
  /** A sealed client secret, to be sent to the token endpoint of its provider and nowhere else. */
  readClientSecret(organizationId: OrganizationId, secretId: string): Promise<string>;
  /** Takes a recovery phrase that was encrypted to one of the targets, and seals it as a wallet. */
  importWallet(
    organizationId: OrganizationId,
    walletId: string,
    targetIds: readonly string[],
    message: HpkeMessage,
    accounts: readonly AccountDerivation[],
  ): Promise<Imported<{ readonly ciphertext: Uint8Array; readonly publicKeys: readonly Uint8Array[] }>>;
  /** Takes 32 bytes of private key that were encrypted to one of the targets, and seals them. */
  importPrivateKey(
    organizationId: OrganizationId,
    privateKeyId: string,
    targetIds: readonly string[],
    message: HpkeMessage,
    curve: Curve,
  ): Promise<Imported<{ readonly ciphertext: Uint8Array; readonly publicKey: Uint8Array }>>;
  /** Takes bytes that were encrypted to the target, and seals them as a secret. No bytes do not fit. */
  importBytes(
    organizationId: OrganizationId,
    secretId: string,
    targetId: string,
    message: HpkeMessage,
  ): Promise<Imported<{ readonly ciphertext: Uint8Array }>>;
  /** Encrypts the bytes of a secret to an uncompressed P-256 key. */
  exportBytes(organizationId: OrganizationId, secretId: string, targetPublicKey: Uint8Array): Promise<HpkeMessage>;
  /** Opens the stored bytes of a secret without using them. Throws VaultError if they are missing or belong to another row. */
  checkBytes(organizationId: OrganizationId, secretId: string): Promise<void>;
  /** Encrypts a wallet's recovery phrase to an uncompressed P-256 key. The phrase is in the wallet's own language by default. */
  exportWallet(
    organizationId: OrganizationId,
    walletId: string,
    targetPublicKey: Uint8Array,
    language?: MnemonicLanguage,
  ): Promise<Exported>;
  /** Encrypts the 32 bytes of a key to an uncompressed P-256 key. Throws SignatureError when `publicKey` does not belong to the key. */
  exportPrivateKey(
    organizationId: OrganizationId,
    key: KeyReference,
    publicKey: Uint8Array,
    targetPublicKey: Uint8Array,
  ): Promise<HpkeMessage>;
}

/** Messages that wait in the outbox, sealed until they are sent. */
export interface VaultOutbox {
  seal(organizationId: OrganizationId, id: string, message: string): Promise<Uint8Array>;
  /** The message that `seal` took for the same row. Throws VaultError for any other ciphertext. */
  open(organizationId: OrganizationId, id: string, ciphertext: Uint8Array): Promise<string>;
}

/** What the service makes and signs in its own name. INVARIANT: no method here opens a secret that is stored for an organization. */
export interface VaultService {
  /** Makes the data key of a new organization. The caller stores the result; until then the vault keeps the key for the other calls. */
  createDataKey(organizationId: string): Promise<{ readonly rootKeyId: string; readonly wrapped: Uint8Array }>;
  /** Makes a P-256 API key: its public half, and its private half encrypted to an uncompressed P-256 key, as Base58Check. */
  issueCredential(targetPublicKey: Uint8Array): Promise<{ readonly publicKey: Uint8Array; readonly credentialBundle: string }>;
  /** Makes a P-256 API key for a message to a person who has no key yet. SECURITY: put the private half into that message only. */
  issueOneTimeKey(): Promise<{ readonly publicKey: Uint8Array; readonly privateKeyHex: string }>;
  /** Signs a message with a service key: r and s of an ECDSA signature over its SHA-256. */
  attest(key: SigningServiceKey, message: Uint8Array): Promise<Uint8Array>;
  /** The public halves of the service keys: uncompressed, in hexadecimal. */
  readonly publicKeys: Readonly<Record<ServiceKeyName, string>>;
  /** Signs a webhook delivery with the Ed25519 key whose public half is `eventKey`. */
  signEvent(message: Uint8Array): Promise<Uint8Array>;
  /** 32 bytes. */
  readonly eventKey: Uint8Array;
  /** The public half of an organization's sign-in key: compressed, in hexadecimal. */
  signInKey(organizationId: string): string;
  /**
   * Writes and signs the body of a sign-in activity with the sign-in key of its organization.
   * SECURITY: D216: such a key signs only the types in `signInTypes`.
   */
  signSignIn(organizationId: string, request: SignInRequest): Promise<SignedSignIn>;
  /** The public half of an RPC key: compressed, in hexadecimal. */
  rpcKey(name: RpcKeyName): string;
  /**
   * Writes and signs the body of an operation for a caller of the JSON-RPC endpoint.
   * SECURITY: D780: such a key signs only the operations in `rpcOperations`.
   */
  signRpc(name: RpcKeyName, operation: RpcOperation): Promise<SignedRpc>;
  /** Signs the text of a checkpoint of the log with the Ed25519 key whose public half is `logKey`. */
  signCheckpoint(text: Uint8Array): Promise<Uint8Array>;
  /** 32 bytes. */
  readonly logKey: Uint8Array;
}

/**
 * The only holder of secret bytes. Its interface is messages: ids and digests in, ciphertexts, public keys and signatures out,
 * so that it can move into a separate process.
 * Public keys are compressed (33 bytes) for secp256k1 and P-256, 32 bytes for ed25519.
 */
export interface Vault {
  readonly keys: VaultKeys;
  readonly transfers: VaultTransfers;
  readonly outbox: VaultOutbox;
  readonly service: VaultService;
  readonly integrity: Integrity;
  /** Encrypts confidential rows. Only `sealStore` and the migration of earlier rows use it. */
  readonly atRest: AtRest;
  /** Whether the root key can be used now. */
  rootKey(): RootKeyState;
  readonly facts: VaultFacts;
  /** Reads the data key of an organization again before its next use, because it was replaced. */
  renewDataKey(organizationId: string): void;
  /** Forgets the plain bytes of a private key, an account, or every account of a wallet, for instance after a deletion. */
  forget(organizationId: string, id: string): void;
  /** Forgets the plain bytes of every key of an organization, and its data key. Later uses read them again. */
  forgetOrganization(organizationId: string): void;
  /** Wipes everything held in memory. Every later call is refused. */
  close(): void;
}

/** MACs that make write access to the database worthless: HMAC-SHA-256 under keys derived from the integrity key. */
export interface Integrity {
  /**
   * MAC over the table, organization, kind, id, version and body of a record or resource. `writtenBy` is the version of the organization
   * that wrote the row, or 0 for rows of releases that did not store it.
   */
  row(
    table: 'records' | 'resources' | 'sends' | 'send_accounts',
    organizationId: string,
    kind: string,
    id: string,
    writtenBy: number,
    body: string,
  ): Uint8Array;
  /** The concatenated MACs of many rows, 32 bytes each. */
  rows(
    table: 'records' | 'resources',
    organizationId: string,
    rows: readonly { readonly kind: string; readonly id: string; readonly writtenBy: number; readonly body: string }[],
  ): Uint8Array;
  /** MAC over every column of an activity's row. */
  activity(row: Omit<ActivityRow, 'mac' | 'requestedAtMs'>): Uint8Array;
  /**
   * The contribution of a stored row to the content sum, as a number below 2^256.
   * SECURITY: derived from the row's MAC under another key and never stored. Otherwise a reader of the database could search for
   * another set of once valid rows with the same sum.
   */
  element(rowMac: Uint8Array): bigint;
  /** The sum of the contributions of rows, modulo 2^256. `macs` is their concatenated MACs, 32 bytes each. */
  elements(rowMacs: Uint8Array): bigint;
  head(organizationId: string, version: number, recordsSum: bigint, keysSum: bigint): Uint8Array;
  /** MAC over an event and its endpoint. */
  event(event: Pick<EventRow, 'organizationId' | 'id' | 'listenerId' | 'endpointId' | 'createdAtMs' | 'body'>): Uint8Array;
  /** MAC over the latest time that the installation has noted. */
  timeMark(atMs: number): Uint8Array;
  /** MAC over an epoch of the installation. */
  epoch(epoch: { readonly number: number; readonly id: string; readonly raisedAtMs: number }): Uint8Array;
  /** MAC over what is said of a backup or of an archive file. */
  copy(kind: 'backup' | 'archive' | 'archive-span' | 'restoring', text: string): Uint8Array;
  /** MAC over the mark of an activity whose row was moved into an archive file. */
  archived(row: Omit<ArchivedRow, 'mac'>): Uint8Array;
  /** MAC over what a mail server said about a mail. */
  mailEvent(row: Omit<MailEventRow, 'mac'>): Uint8Array;
  /**
   * Keyed hash of the address that a mail of the organization was sent to.
   * SECURITY: D1005: keyed, because addresses can be guessed.
   */
  mailRecipient(organizationId: string, address: string): Uint8Array;
  /** MAC over what requests of a session said about their client. */
  sessionUse(row: Omit<SessionUseRow, 'mac'>): Uint8Array;
  /** MAC over what a control has counted, with the MAC of the count before it. */
  usagePoint(row: Omit<UsagePointRow, 'mac'>): Uint8Array;
  /** MAC over an entry that waits to get into the log. */
  logEntry(entry: Omit<LogEntryRow, 'mac'>): Uint8Array;
  /** MAC over the tree and the root of the head map. The root is empty before the first map was written. */
  logState(state: Omit<LogStateRow, 'name' | 'mac'>): Uint8Array;
  /**
   * The key of a usage bucket in the head map.
   * SECURITY: keyed, because proofs show neighbouring keys, and names of buckets can be guessed.
   */
  mapUsageKey(organizationId: string, bucket: string): Uint8Array;
  /** MAC over the identity of the machine that a data directory is bound to. */
  machine(how: string, id: string): Uint8Array;
  /** Keyed hash of a credential and an address, or MAC over the file of them. The file alone does not show who was where. */
  knownCaller(kind: 'pair' | 'file', text: string): Uint8Array;
  /**
   * MAC over the replay keys of a part of the log: its number, the node of the tree over its leaves, and bytes of a fixed length.
   * SECURITY: it covers the order of bytes of this machine, in which the keys are written.
   */
  replayKeys(index: number, node: Uint8Array, content: Uint8Array): Uint8Array;
  /**
   * The secret salt of a leaf, 32 bytes. It is not stored: without this key, a reader of the log cannot guess the content of a leaf. Only
   * the organization gets it.
   */
  leafSalt(organizationId: string, sequence: number): Uint8Array;
  /** The stored form of a one-time code. The database alone is not enough to try codes against it. */
  code(organizationId: string, codeId: string, code: string): Uint8Array;
  /** MAC over a cursor that the service gave to a caller of the organization: what it is for, and its position. */
  cursor(organizationId: string, fields: readonly string[]): Uint8Array;
  /** Opens the page of the development mailbox. Derived from the root key, so that every node has the same token. */
  readonly mailboxToken: string;
}

import type { Curve, RawSignature, SigningRequest } from '@countersign/chains';
import type { Store } from '../store/store.ts';

/** Names a key to sign with: a private key, or an account that is derived from a wallet's seed. */
export type KeyReference =
  | { readonly kind: 'privateKey'; readonly id: string; readonly curve: Curve }
  | { readonly kind: 'account'; readonly id: string; readonly walletId: string; readonly curve: Curve; readonly path: string };

/** What an account needs to be derived. */
export interface AccountDerivation {
  readonly curve: Curve;
  readonly path: string;
}

/** The part of persistence that the vault reads, and where it keeps its wrapped keys. */
export type VaultStore = Pick<Store, 'vault' | 'secrets'>;

/** What an operator should know about an open vault. No secret. */
export interface VaultFacts {
  /** The root key that new data keys are wrapped by, unless a rotation is under way. */
  readonly rootKeyId: string;
  /** Where the root key comes from, for instance the path of a file. */
  readonly rootKeySource: string;
  /** `native` is libsecp256k1; `javascript` gives the same bytes some twenty times slower. */
  readonly secp256k1: 'native' | 'javascript';
  /** One plain sentence each; to be logged when the service starts. */
  readonly warnings: readonly string[];
}

/**
 * The only holder of secret bytes. Its interface is messages: ids and digests in, ciphertexts, public keys and signatures out,
 * so that it can move into a process of its own.
 * Public keys are compressed (33 bytes) for secp256k1 and P-256, 32 bytes for ed25519.
 */
export interface Vault {
  /** Makes an organization's data key. The caller stores what comes back; until then the vault remembers the key for the other calls. */
  createDataKey(organizationId: string): Promise<{ readonly rootKeyId: string; readonly wrapped: Uint8Array }>;
  generatePrivateKey(
    organizationId: string,
    privateKeyId: string,
    curve: Curve,
  ): Promise<{ readonly publicKey: Uint8Array; readonly ciphertext: Uint8Array }>;
  generateWallet(
    organizationId: string,
    walletId: string,
    mnemonicLength: number,
    accounts: readonly AccountDerivation[],
  ): Promise<{ readonly ciphertext: Uint8Array; readonly publicKeys: readonly Uint8Array[] }>;
  /** Public keys of further accounts of a stored wallet. */
  deriveAccounts(
    organizationId: string,
    walletId: string,
    accounts: readonly AccountDerivation[],
  ): Promise<readonly Uint8Array[]>;
  /**
   * Signs every request with one key, in order.
   * INVARIANT: each signature was verified against `publicKey` before it is released; ECDSA is RFC 6979, low-s and recoverable.
   * Throws SignatureFault, and releases nothing, when one does not verify or `publicKey` is not that of the key.
   */
  sign(
    organizationId: string,
    key: KeyReference,
    publicKey: Uint8Array,
    requests: readonly SigningRequest[],
  ): Promise<readonly RawSignature[]>;
  /** Forgets the plain bytes of a private key, of an account, or of every account of a wallet, for instance because it was deleted. */
  forget(organizationId: string, id: string): void;
  readonly integrity: Integrity;
  readonly facts: VaultFacts;
  /** Wipes everything held in memory. Every later call is refused. */
  close(): void;
}

/** MACs that make write access to the database worthless. All are HMAC-SHA-256 under keys derived from the wrapped integrity key. */
export interface Integrity {
  /** MAC over table, organization, kind, id and body of a record or resource. */
  row(table: 'records' | 'resources', organizationId: string, kind: string, id: string, body: string): Uint8Array;
  activity(organizationId: string, id: string, revision: number, body: string): Uint8Array;
  /**
   * The contribution of a stored row to the content sum, as a number below 2^256.
   * SECURITY: derived from the row's MAC under another key and never stored, so that nobody with the database can look for
   * another set of once valid rows with the same sum.
   */
  element(rowMac: Uint8Array): bigint;
  head(organizationId: string, version: number, recordsSum: bigint, keysSum: bigint): Uint8Array;
}

/** A vault that cannot be opened or used: one line that names the cause, one that names the fix. */
export class VaultFault extends Error {
  override readonly name = 'VaultFault';
  readonly fix: string;

  constructor(message: string, fix: string, options?: ErrorOptions) {
    super(message, options);
    this.fix = fix;
  }
}

/**
 * A signature that did not pass its own check, so that it was not released: an alarm. Either the machine computes wrongly,
 * or a stored public key is not that of its private key.
 */
export class SignatureFault extends Error {
  override readonly name = 'SignatureFault';
  readonly organizationId: string;
  readonly keyId: string;

  constructor(organizationId: string, keyId: string, message: string) {
    super(message);
    this.organizationId = organizationId;
    this.keyId = keyId;
  }
}

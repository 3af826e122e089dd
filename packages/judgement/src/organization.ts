import type { VelocityControlRecord } from './controls/record.ts';
import type {
  ApiKeyRecord,
  AuthenticatorRecord,
  ContactRecord,
  FreezeRecord,
  MfaPolicyRecord,
  OauthProviderRecord,
  OrganizationRecord,
  PolicyRecord,
  PrivateKeyBody,
  SecretRecord,
  SmartContractInterfaceRecord,
  TokenRecord,
  UserRecord,
  WalletAccountBody,
  WalletBody,
} from './records.ts';

type ById<T> = ReadonlyMap<string, T>;

/**
 * The part of an organization that decisions read: an immutable value at one version.
 * INVARIANT: a change creates a new object, and a new map for each kind that changed. Derived values are cached by these references.
 */
export interface JudgedOrganization {
  readonly id: string;
  readonly profile: Pick<OrganizationRecord, 'rootQuorum' | 'features'>;
  readonly users: ById<UserRecord>;
  readonly apiKeys: ById<ApiKeyRecord>;
  readonly authenticators: ById<AuthenticatorRecord>;
  readonly policies: ById<PolicyRecord>;
  readonly records: {
    readonly mfaPolicy: ById<MfaPolicyRecord>;
    readonly contact: ById<ContactRecord>;
    readonly token: ById<TokenRecord>;
    readonly oauthProvider: ById<OauthProviderRecord>;
    readonly smartContractInterface: ById<SmartContractInterfaceRecord>;
    readonly velocityControl: ById<VelocityControlRecord>;
    /** By the id of what is frozen. */
    readonly freeze: ById<FreezeRecord>;
  };
  /** API key ids by canonical public key. */
  readonly apiKeyByPublicKey: ReadonlyMap<string, string>;
}

/** The part of a wallet, an account or a private key that decisions read. */
export interface JudgedResource<Kind extends string, Body> {
  readonly kind: Kind;
  readonly id: string;
  readonly body: Body;
}

/** The part of a secret that decisions read. */
export interface JudgedSecret {
  readonly id: string;
  readonly body: SecretRecord;
}

export type JudgedWallet = JudgedResource<'wallet', WalletBody>;
export type JudgedAccount = JudgedResource<'walletAccount', WalletAccountBody>;
export type JudgedPrivateKey = JudgedResource<'privateKey', PrivateKeyBody>;

/** A key that can sign. */
export type JudgedKey = JudgedAccount | JudgedPrivateKey;

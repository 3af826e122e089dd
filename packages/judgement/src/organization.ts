import type { VelocityControlRecord } from './controls/record.ts';
import type {
  ApiKeyRecord,
  AuthenticatorRecord,
  ContactRecord,
  MfaPolicyRecord,
  OauthProviderRecord,
  OrganizationRecord,
  PolicyRecord,
  PrivateKeyBody,
  SmartContractInterfaceRecord,
  TokenRecord,
  UserRecord,
  WalletAccountBody,
  WalletBody,
} from './records.ts';

type ById<T> = ReadonlyMap<string, T>;

/**
 * What a judgement looks at of an organization: an immutable value at one version.
 * INVARIANT: a change makes another object, and another map for each kind that changed. What is made of either is kept with it.
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
  };
  /** API key ids by canonical public key. */
  readonly apiKeyByPublicKey: ReadonlyMap<string, string>;
}

/** A wallet, an account or a private key, as far as judgements look at it. */
export interface JudgedResource<Kind extends string, Body> {
  readonly kind: Kind;
  readonly id: string;
  readonly body: Body;
}

export type JudgedWallet = JudgedResource<'wallet', WalletBody>;
export type JudgedAccount = JudgedResource<'walletAccount', WalletAccountBody>;
export type JudgedPrivateKey = JudgedResource<'privateKey', PrivateKeyBody>;

/** What a signature can be made with. */
export type JudgedKey = JudgedAccount | JudgedPrivateKey;

import type { VelocityControlRecord } from './controls/record.ts';
import type {
  EvictedKeysRecord,
  ImportTargetRecord,
  IpAllowlistRecord,
  Oauth2CredentialRecord,
  OneTimeCodeRecord,
  OpenActivityRecord,
  PushSubscriptionRecord,
  ReadOnlySessionRecord,
  UsedTokenRecord,
  WebhookEndpointRecord,
  WrongTriesRecord,
} from './internal-records.ts';
import type {
  ApiKeyRecord,
  AuthenticatorRecord,
  AuthProxyRecord,
  ContactRecord,
  FreezeRecord,
  InvitationRecord,
  MfaPolicyRecord,
  OauthProviderRecord,
  OrganizationRecord,
  PolicyRecord,
  PrivateKeyBody,
  SecretRecord,
  SessionProfileRecord,
  SmartContractInterfaceRecord,
  TagRecord,
  TokenRecord,
  UserRecord,
  WalletAccountBody,
  WalletBody,
} from './records.ts';

/** The entry of a kind. `Body` is the type of a stored record. */
interface Kind<Body, Audited extends boolean> {
  /** Whether decisions depend on the kind. Audit files then contain every change of it. */
  readonly audited: Audited;
  /** Never set: it carries the type. */
  readonly body?: Body;
}

/** SECURITY: every user of the organization can read an audited record, so it must not contain data that queries hide. */
const audited = <Body>(): Kind<Body, true> => ({ audited: true });
const internal = <Body>(): Kind<Body, false> => ({ audited: false });

/** Every kind of record that a snapshot holds. The key is the `kind` of the stored row. */
const records = {
  organization: audited<OrganizationRecord>(),
  user: audited<UserRecord>(),
  apiKey: audited<ApiKeyRecord>(),
  authenticator: audited<AuthenticatorRecord>(),
  oauthProvider: audited<OauthProviderRecord>(),
  readOnlySession: internal<ReadOnlySessionRecord>(),
  importTarget: internal<ImportTargetRecord>(),
  usedToken: internal<UsedTokenRecord>(),
  oneTimeCode: internal<OneTimeCodeRecord>(),
  wrongTries: internal<WrongTriesRecord>(),
  userTag: audited<TagRecord>(),
  privateKeyTag: audited<TagRecord>(),
  invitation: audited<InvitationRecord>(),
  policy: audited<PolicyRecord>(),
  smartContractInterface: audited<SmartContractInterfaceRecord>(),
  contact: audited<ContactRecord>(),
  token: audited<TokenRecord>(),
  velocityControl: audited<VelocityControlRecord>(),
  openActivity: internal<OpenActivityRecord>(),
  ipAllowlist: internal<IpAllowlistRecord>(),
  webhookEndpoint: internal<WebhookEndpointRecord>(),
  sessionProfile: audited<SessionProfileRecord>(),
  mfaPolicy: audited<MfaPolicyRecord>(),
  pushSubscription: internal<PushSubscriptionRecord>(),
  authProxy: audited<AuthProxyRecord>(),
  freeze: audited<FreezeRecord>(),
  secret: audited<SecretRecord>(),
  oauth2Credential: internal<Oauth2CredentialRecord>(),
  evictedKeys: internal<EvictedKeysRecord>(),
};

/**
 * Every kind of resource. There can be many resources, so they are read one by one. Wallets and private keys are part of the key sum of the
 * organization. Accounts belong to a wallet.
 */
const resources = {
  wallet: audited<WalletBody>(),
  privateKey: audited<PrivateKeyBody>(),
  walletAccount: audited<WalletAccountBody>(),
};

type BodiesOf<Table> = { readonly [K in keyof Table]: Table[K] extends Kind<infer Body, boolean> ? Body : never };

export type RecordBodies = BodiesOf<typeof records>;
export type RecordKind = keyof RecordBodies;
export type ResourceBodies = BodiesOf<typeof resources>;
export type ResourceKind = keyof ResourceBodies;

type AuditedRecordKind = { [K in RecordKind]: (typeof records)[K]['audited'] extends true ? K : never }[RecordKind];

/** The kinds that decisions depend on, which audit files contain. */
export type AuditedKind = AuditedRecordKind | ResourceKind;
export type AuditedBodies = { readonly [K in AuditedKind]: (RecordBodies & ResourceBodies)[K] };

export const recordKinds = Object.keys(records) as readonly RecordKind[];
export const resourceKinds = Object.keys(resources) as readonly ResourceKind[];

/** Whether decisions depend on a kind of record. */
export function isAudited(kind: RecordKind): kind is AuditedRecordKind {
  return records[kind].audited;
}

export const auditedKinds: readonly AuditedKind[] = [...recordKinds.filter(isAudited), ...resourceKinds];

import type { ResourceBodies, ResourceKind } from '@countersign/judgement';

export type {
  ApiKeyRecord,
  AuthenticationMethod,
  AuthenticatorRecord,
  AuthProxyRecord,
  ContactRecord,
  ContactState,
  EvictedKeysRecord,
  Feature,
  FreezeRecord,
  ImportTargetRecord,
  InvitationRecord,
  IpAllowlistRecord,
  IpAllowlistRule,
  MfaPolicyRecord,
  Oauth2CredentialRecord,
  OauthProviderRecord,
  OneTimeCodeRecord,
  OrganizationRecord,
  PolicyRecord,
  PushSubscriptionRecord,
  RecordBodies,
  RecordKind,
  ResourceBodies,
  ResourceKind,
  SecretRecord,
  SessionOrigin,
  SessionProfileRecord,
  SessionScope,
  SmartContractInterfaceRecord,
  TagRecord,
  TokenRecord,
  UserRecord,
  VelocityControlRecord,
  WebhookEndpointRecord,
  WrongTriesRecord,
} from '@countersign/judgement';
export { isAudited, recordKinds, resourceKinds } from '@countersign/judgement';

/** A resource whose MAC was verified. */
export interface Resource<K extends ResourceKind = ResourceKind> {
  readonly kind: K;
  readonly id: string;
  readonly parentId: string;
  readonly body: ResourceBodies[K];
  readonly mac: Uint8Array;
}

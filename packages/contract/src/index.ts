export { type Activities, type ActivityInput, activities } from './activities/index.ts';
export { activityByType, activityType, activityTypes } from './activity-types.ts';
export { type AuthProxyRequestName, attestedLoginRequest, authProxyRequests } from './auth-proxy-requests.ts';
export { bodyBounds } from './body-bounds.ts';
export { absentTransactionTypes, type ChainId, chainNames, chains, type TransactionTypeName } from './chains.ts';
export {
  activitiesLink,
  activityLink,
  approvalLink,
  approvalsLink,
  invitationLink,
  setupLink,
  webhooksLink,
} from './console-links.ts';
export {
  type ActivityDefinition,
  type ActivityVersion,
  type Check,
  intentKey,
  type OperationDefinition,
  type ParameterReader,
  type QueryDefinition,
  type Subject,
} from './define.ts';
export { basePaths, type DialectDefinition, type DialectName, dialects, operationPath } from './dialects.ts';
export { type ErrorCode, type ErrorSpec, errorCodes, type FieldViolation, type PolicyDenial, ServiceError } from './errors.ts';
export { exampleOf } from './example.ts';
export { firstNames } from './first-names.ts';
export { type JsonSchema, jsonSchemaOf } from './json-schema.ts';
export { isMaskedUrl, maskFeature, maskUrl, maskUrlsIn } from './masks.ts';
export { notOffered, notOfferedTypes } from './not-offered.ts';
export { openApiDocument } from './openapi.ts';
export { OperatorError } from './operator-error.ts';
export type { Spelling, ViewField } from './policy-view/field.ts';
export {
  activityKind,
  givenParameters,
  judgedByPolicies,
  parameterReader,
  policyFields,
  policyView,
  secretNames,
} from './policy-view/policy-view.ts';
export { queryKind } from './policy-view/query-kind.ts';
export { type Queries, queries } from './queries/index.ts';
export { MAX_IN_ORGANIZATION, MAX_IN_ORGANIZATION_CHARACTERS } from './queries/organizations/get-organization.ts';
export type { SuborgFilter } from './queries/organizations/list-suborgs.ts';
export { MAX_REFERENCE, quotedReference, referenceProblem, referenceWords } from './reference-text.ts';
export {
  authProxyCondition,
  proxiedTypes,
  RELAY_HEADER,
  RELAY_PATH,
  type RelayedName,
  relayCondition,
  relayedTypes,
  type SignInIssuer,
  type SignInWays,
  signInTypes,
} from './relay-address.ts';
export { organizationOfRpcToken, RPC_PATH, rpcOperations, rpcTokenOf } from './rpc-keys.ts';
export { hasContact, hasMask, isConfidential, type Redact, redactorOf, responseRedactorOf, secretMark } from './secrets.ts';
export { type BuiltInProfile, builtInProfile, builtInProfiles } from './session-profiles.ts';
export type { ActivityDetails } from './shapes/activity.ts';
export { type ActivityStatus, activityStatus } from './shapes/activity-status.ts';
export type { ContactShape, TokenShape } from './shapes/address-book.ts';
export type { AuthMethod, AuthProxyConfigParams } from './shapes/auth-proxy.ts';
export type {
  BacktestFlipShape,
  BacktestReportShape,
  ControlChangeShape,
  PastRangeShape,
  PolicyChangeShape,
} from './shapes/backtest.ts';
export { withheldCardNumber } from './shapes/billing.ts';
export { type MnemonicLanguage, mnemonicLanguages, sessionPublicKey } from './shapes/bundles.ts';
export type { ComparedChangeShape, ComparisonShape } from './shapes/comparison.ts';
export {
  type ApiKeyCurve,
  type ApiKeyParams,
  type AuthenticatorParams,
  type AuthenticatorTransport,
  type CredentialType,
  credentialTypes,
  longAttestation,
  type OauthProviderParams,
  type RpcKeyParams,
  rpcProofs,
  withCurve,
} from './shapes/credentials.ts';
export type { DecidedByShape, DeciderShape } from './shapes/decided-by.ts';
export type { ExplainedDecisionShape } from './shapes/decisions.ts';
export { defaults } from './shapes/defaults.ts';
export type { EffectShape, ParsedShape } from './shapes/effects.ts';
export type { FreezeShape } from './shapes/freezes.ts';
export type { InvitationShape } from './shapes/invitations.ts';
export type { IpAllowlistRuleParams, IpAllowlistShape } from './shapes/ip-allowlists.ts';
export { addressFormat, curve, type PrivateKeyParams, type PrivateKeyShape } from './shapes/keys.ts';
export { type EmailCustomization, type OtpType, otpCode, otpTypes, SMS_CODE_PLACEHOLDER } from './shapes/messages.ts';
export type { AuthenticationType, MfaPolicyShape, MfaStatusShape } from './shapes/mfa.ts';
export type { Oauth2CredentialShape } from './shapes/oauth2.ts';
export type { FeatureName } from './shapes/organizations.ts';
export type { PastRequestShape, PastStateShape } from './shapes/past-requests.ts';
export type { ActivePolicyShape, PolicyShape } from './shapes/policies.ts';
export { MAX_ITEM_CHARACTERS, MAX_UNPAGED_CHARACTERS } from './shapes/primitives.ts';
export { MAX_PUSH_SUBSCRIPTIONS, type PushSubscriptionShape } from './shapes/push-subscriptions.ts';
export { requestReference } from './shapes/reference.ts';
export { MAX_SECRETS_PER_REQUEST } from './shapes/secrets.ts';
export type { SessionProfileShape } from './shapes/sessions.ts';
export { type HashFunction, type PayloadEncoding, transactionType } from './shapes/signing.ts';
export {
  type ContractInterfaceTypeName,
  type SmartContractInterfaceShape,
  smartContractInterfaceType,
} from './shapes/smart-contract-interfaces.ts';
export type { TagShape } from './shapes/tags.ts';
export type { AccessType, UserParams, UserShape } from './shapes/users.ts';
export {
  type CalendarUnit,
  type ControlAggregationShape,
  type ControlDataSourceShape,
  type ControlOperator,
  type ControlOtherAssets,
  type ControlUsageShape,
  type ControlWindowShape,
  controlOperators,
  type VelocityControlShape,
} from './shapes/velocity-controls.ts';
export { mnemonicLength, type WalletAccountParams, type WalletAccountShape, type WalletShape } from './shapes/wallets.ts';
export {
  MAX_COUNTED_EVENTS,
  type WebhookDeliveryMode,
  type WebhookEndpoint,
  type WebhookSubscription,
} from './shapes/webhooks.ts';
export { MAX_SHARD, shardIn, withShard } from './shards.ts';
export { relayed } from './sign-in-relay.ts';
export { isSending, isSignature } from './signature-types.ts';

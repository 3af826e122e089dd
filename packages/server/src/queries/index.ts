import type { Resolvers } from '../pipeline/query.ts';
import { getActivity } from './activities/get-activity.ts';
import { getActivityCounts } from './activities/get-activity-counts.ts';
import { getActivityDurations } from './activities/get-activity-durations.ts';
import { getActivityNames } from './activities/get-activity-names.ts';
import { getLogProof } from './activities/get-log-proof.ts';
import { getSendTransactionStatus } from './activities/get-send-transaction-status.ts';
import { listActivities } from './activities/list-activities.ts';
import { listAuditRecords } from './activities/list-audit-records.ts';
import { listEvents } from './activities/list-events.ts';
import { listLogEntries } from './activities/list-log-entries.ts';
import { listSendTransactions } from './activities/list-send-transactions.ts';
import { searchActivities } from './activities/search-activities.ts';
import { listContacts } from './address-book/list-contacts.ts';
import { listTokens } from './address-book/list-tokens.ts';
import { getFeeSuggestion } from './chains/get-fee-suggestion.ts';
import { getNonces } from './chains/get-nonces.ts';
import { getWalletAddressBalances } from './chains/get-wallet-address-balances.ts';
import { listAddressTransactions } from './chains/list-address-transactions.ts';
import { listSupportedAssets } from './chains/list-supported-assets.ts';
import { getApiKey } from './credentials/get-api-key.ts';
import { getApiKeys } from './credentials/get-api-keys.ts';
import { getAuthenticator } from './credentials/get-authenticator.ts';
import { getAuthenticators } from './credentials/get-authenticators.ts';
import { getMfaPolicies } from './credentials/get-mfa-policies.ts';
import { getMfaPolicy } from './credentials/get-mfa-policy.ts';
import { getMfaStatus } from './credentials/get-mfa-status.ts';
import { getOauthProviders } from './credentials/get-oauth-providers.ts';
import { getOauth2Credential } from './credentials/get-oauth2-credential.ts';
import { listOauth2Credentials } from './credentials/list-oauth2-credentials.ts';
import { listPushSubscriptions } from './credentials/list-push-subscriptions.ts';
import { getPrivateKey } from './keys/get-private-key.ts';
import { listPrivateKeyTags } from './keys/list-private-key-tags.ts';
import { listPrivateKeys } from './keys/list-private-keys.ts';
import { getAuthProxyConfig } from './organizations/get-auth-proxy-config.ts';
import { getCallerAddress } from './organizations/get-caller-address.ts';
import { getIpAllowlist } from './organizations/get-ip-allowlist.ts';
import { getOrganization } from './organizations/get-organization.ts';
import { getOrganizationConfigs } from './organizations/get-organization-configs.ts';
import { listFreezes } from './organizations/list-freezes.ts';
import { listSuborgs } from './organizations/list-suborgs.ts';
import { listVerifiedSuborgs } from './organizations/list-verified-suborgs.ts';
import { whoami } from './organizations/whoami.ts';
import { backtestPolicies } from './policies/backtest-policies.ts';
import { explainActivity } from './policies/explain-activity.ts';
import { getActivePolicies } from './policies/get-active-policies.ts';
import { getDeniedActivityTypes } from './policies/get-denied-activity-types.ts';
import { getPolicy } from './policies/get-policy.ts';
import { getPolicyEvaluations } from './policies/get-policy-evaluations.ts';
import { getSmartContractInterface } from './policies/get-smart-contract-interface.ts';
import { getVelocityControl } from './policies/get-velocity-control.ts';
import { listPastRequests } from './policies/list-past-requests.ts';
import { listPolicies } from './policies/list-policies.ts';
import { listSmartContractInterfaces } from './policies/list-smart-contract-interfaces.ts';
import { listVelocityControls } from './policies/list-velocity-controls.ts';
import { simulateActivity } from './policies/simulate-activity.ts';
import { listSecrets } from './secrets/list-secrets.ts';
import { getSessionProfile } from './sign-in/get-session-profile.ts';
import { getSessionProfiles } from './sign-in/get-session-profiles.ts';
import { getSignInKey } from './sign-in/get-sign-in-key.ts';
import { listEmailEvents } from './sign-in/list-email-events.ts';
import { getUser } from './users/get-user.ts';
import { listUserTags } from './users/list-user-tags.ts';
import { listUsers } from './users/list-users.ts';
import { getWallet } from './wallets/get-wallet.ts';
import { getWalletAccount } from './wallets/get-wallet-account.ts';
import { listWalletAccounts } from './wallets/list-wallet-accounts.ts';
import { listWallets } from './wallets/list-wallets.ts';
import { getWebhookDeliveries } from './webhooks/get-webhook-deliveries.ts';
import { listWebhookEndpoints } from './webhooks/list-webhook-endpoints.ts';

/** The resolver of every query of the contract. */
export const resolvers: Resolvers = {
  whoami,
  getOrganizationConfigs,
  getAuthProxyConfig,
  listSuborgs,
  listVerifiedSuborgs,
  getActivity,
  getActivityNames,
  getActivityCounts,
  getActivityDurations,
  listActivities,
  searchActivities,
  getLogProof,
  getSendTransactionStatus,
  listSendTransactions,
  listAuditRecords,
  listLogEntries,
  listEvents,
  listWallets,
  getWallet,
  listWalletAccounts,
  getWalletAccount,
  getNonces,
  getWalletAddressBalances,
  listSupportedAssets,
  listAddressTransactions,
  getFeeSuggestion,
  listPrivateKeys,
  getPrivateKey,
  getPolicy,
  listPolicies,
  getActivePolicies,
  getDeniedActivityTypes,
  getPolicyEvaluations,
  explainActivity,
  simulateActivity,
  backtestPolicies,
  listPastRequests,
  getSmartContractInterface,
  listSmartContractInterfaces,
  getVelocityControl,
  listVelocityControls,
  listContacts,
  listTokens,
  listSecrets,
  getUser,
  listUsers,
  listUserTags,
  getApiKey,
  getApiKeys,
  getAuthenticator,
  getAuthenticators,
  getOauthProviders,
  getOauth2Credential,
  listOauth2Credentials,
  getMfaPolicy,
  getMfaPolicies,
  getMfaStatus,
  listPushSubscriptions,
  listPrivateKeyTags,
  getOrganization,
  getIpAllowlist,
  getCallerAddress,
  listFreezes,
  getSessionProfile,
  getSessionProfiles,
  getSignInKey,
  listEmailEvents,
  listWebhookEndpoints,
  getWebhookDeliveries,
};

import type { z } from 'zod';
import { createContacts } from './address-book/create-contacts.ts';
import { createTokens } from './address-book/create-tokens.ts';
import { deleteContacts } from './address-book/delete-contacts.ts';
import { deleteTokens } from './address-book/delete-tokens.ts';
import { updateContact } from './address-book/update-contact.ts';
import { approveActivity } from './consensus/approve-activity.ts';
import { rejectActivity } from './consensus/reject-activity.ts';
import { createApiKeys } from './credentials/create-api-keys.ts';
import { createAuthenticators } from './credentials/create-authenticators.ts';
import { createMfaPolicy } from './credentials/create-mfa-policy.ts';
import { createOauthProviders } from './credentials/create-oauth-providers.ts';
import { createOauth2Credential } from './credentials/create-oauth2-credential.ts';
import { createPushSubscription } from './credentials/create-push-subscription.ts';
import { createRpcKeys } from './credentials/create-rpc-keys.ts';
import { createSetupKey } from './credentials/create-setup-key.ts';
import { deleteApiKeys } from './credentials/delete-api-keys.ts';
import { deleteAuthenticators } from './credentials/delete-authenticators.ts';
import { deleteMfaPolicy } from './credentials/delete-mfa-policy.ts';
import { deleteOauthProviders } from './credentials/delete-oauth-providers.ts';
import { deleteOauth2Credential } from './credentials/delete-oauth2-credential.ts';
import { deletePushSubscription } from './credentials/delete-push-subscription.ts';
import { exchangeOneTimeKey } from './credentials/exchange-one-time-key.ts';
import { updateMfaPolicy } from './credentials/update-mfa-policy.ts';
import { updateOauth2Credential } from './credentials/update-oauth2-credential.ts';
import { createPrivateKeyTag } from './keys/create-private-key-tag.ts';
import { createPrivateKeys } from './keys/create-private-keys.ts';
import { deletePrivateKeyTags } from './keys/delete-private-key-tags.ts';
import { deletePrivateKeys } from './keys/delete-private-keys.ts';
import { disablePrivateKey } from './keys/disable-private-key.ts';
import { updatePrivateKeyTag } from './keys/update-private-key-tag.ts';
import { activateBillingTier } from './organizations/activate-billing-tier.ts';
import { createOrganization } from './organizations/create-organization.ts';
import { createSubOrganization } from './organizations/create-sub-organization.ts';
import { deleteOrganization } from './organizations/delete-organization.ts';
import { deletePaymentMethod } from './organizations/delete-payment-method.ts';
import { deleteSubOrganization } from './organizations/delete-sub-organization.ts';
import { disableAuthProxy } from './organizations/disable-auth-proxy.ts';
import { freeze } from './organizations/freeze.ts';
import { removeIpAllowlist } from './organizations/remove-ip-allowlist.ts';
import { removeOrganizationFeature } from './organizations/remove-organization-feature.ts';
import { setIpAllowlist } from './organizations/set-ip-allowlist.ts';
import { setOrganizationFeature } from './organizations/set-organization-feature.ts';
import { setPaymentMethod } from './organizations/set-payment-method.ts';
import { unfreeze } from './organizations/unfreeze.ts';
import { updateAllowedOrigins } from './organizations/update-allowed-origins.ts';
import { updateAuthProxyConfig } from './organizations/update-auth-proxy-config.ts';
import { updateOrganizationName } from './organizations/update-organization-name.ts';
import { updateRootQuorum } from './organizations/update-root-quorum.ts';
import { createPolicies } from './policies/create-policies.ts';
import { createPolicy } from './policies/create-policy.ts';
import { createSmartContractInterface } from './policies/create-smart-contract-interface.ts';
import { createVelocityControl } from './policies/create-velocity-control.ts';
import { deletePolicies } from './policies/delete-policies.ts';
import { deletePolicy } from './policies/delete-policy.ts';
import { deleteSmartContractInterface } from './policies/delete-smart-contract-interface.ts';
import { deleteVelocityControl } from './policies/delete-velocity-control.ts';
import { raiseVelocityControl } from './policies/raise-velocity-control.ts';
import { resetVelocityControl } from './policies/reset-velocity-control.ts';
import { updatePolicy } from './policies/update-policy.ts';
import { updateVelocityControl } from './policies/update-velocity-control.ts';
import { deleteSecrets } from './secrets/delete-secrets.ts';
import { exportSecrets } from './secrets/export-secrets.ts';
import { importSecrets } from './secrets/import-secrets.ts';
import { initImportSecrets } from './secrets/init-import-secrets.ts';
import { createReadOnlySession } from './sign-in/create-read-only-session.ts';
import { createReadWriteSession } from './sign-in/create-read-write-session.ts';
import { createSessionProfile } from './sign-in/create-session-profile.ts';
import { emailAuth } from './sign-in/email-auth.ts';
import { endSessions } from './sign-in/end-sessions.ts';
import { initOtp } from './sign-in/init-otp.ts';
import { initOtpAuth } from './sign-in/init-otp-auth.ts';
import { initUserEmailRecovery } from './sign-in/init-user-email-recovery.ts';
import { oauth } from './sign-in/oauth.ts';
import { oauthLogin } from './sign-in/oauth-login.ts';
import { oauth2Authenticate } from './sign-in/oauth2-authenticate.ts';
import { otpAuth } from './sign-in/otp-auth.ts';
import { otpLogin } from './sign-in/otp-login.ts';
import { recoverUser } from './sign-in/recover-user.ts';
import { stampLogin } from './sign-in/stamp-login.ts';
import { verifyOtp } from './sign-in/verify-otp.ts';
import { bitcoinSendTransaction } from './signing/bitcoin-send-transaction.ts';
import { ethReplaceTransaction } from './signing/eth-replace-transaction.ts';
import { ethSendTransaction } from './signing/eth-send-transaction.ts';
import { ethUndelegate7702 } from './signing/eth-undelegate-7702.ts';
import { signRawPayload } from './signing/sign-raw-payload.ts';
import { signRawPayloads } from './signing/sign-raw-payloads.ts';
import { signTransaction } from './signing/sign-transaction.ts';
import { solSendTransaction } from './signing/sol-send-transaction.ts';
import { tronSendTransaction } from './signing/tron-send-transaction.ts';
import { exportPrivateKey } from './transfer/export-private-key.ts';
import { exportWallet } from './transfer/export-wallet.ts';
import { exportWalletAccount } from './transfer/export-wallet-account.ts';
import { importPrivateKey } from './transfer/import-private-key.ts';
import { importWallet } from './transfer/import-wallet.ts';
import { initImportPrivateKey } from './transfer/init-import-private-key.ts';
import { initImportWallet } from './transfer/init-import-wallet.ts';
import { acceptInvitation } from './users/accept-invitation.ts';
import { createApiOnlyUsers } from './users/create-api-only-users.ts';
import { createInvitations } from './users/create-invitations.ts';
import { createUserTag } from './users/create-user-tag.ts';
import { createUsers } from './users/create-users.ts';
import { deleteInvitation } from './users/delete-invitation.ts';
import { deleteUserTags } from './users/delete-user-tags.ts';
import { deleteUsers } from './users/delete-users.ts';
import { updateUser } from './users/update-user.ts';
import { updateUserEmail } from './users/update-user-email.ts';
import { updateUserName } from './users/update-user-name.ts';
import { updateUserPhoneNumber } from './users/update-user-phone-number.ts';
import { updateUserTag } from './users/update-user-tag.ts';
import { createWallet } from './wallets/create-wallet.ts';
import { createWalletAccounts } from './wallets/create-wallet-accounts.ts';
import { deleteWalletAccounts } from './wallets/delete-wallet-accounts.ts';
import { deleteWallets } from './wallets/delete-wallets.ts';
import { updateWallet } from './wallets/update-wallet.ts';
import { createWebhookEndpoint } from './webhooks/create-webhook-endpoint.ts';
import { deleteWebhookEndpoint } from './webhooks/delete-webhook-endpoint.ts';
import { testWebhookEndpoint } from './webhooks/test-webhook-endpoint.ts';
import { updateWebhookEndpoint } from './webhooks/update-webhook-endpoint.ts';

/** Every activity. Routes, validation, OpenAPI, the client, the command line and the reference read this table. */
export const activities = {
  createSubOrganization,
  createUsers,
  createApiKeys,
  deleteApiKeys,
  createWallet,
  createWalletAccounts,
  createPrivateKeys,
  deletePrivateKeys,
  signRawPayload,
  signRawPayloads,
  signTransaction,
  ethReplaceTransaction,
  ethSendTransaction,
  ethUndelegate7702,
  solSendTransaction,
  tronSendTransaction,
  bitcoinSendTransaction,
  updateRootQuorum,
  createPolicy,
  createPolicies,
  updatePolicy,
  deletePolicy,
  deletePolicies,
  createSmartContractInterface,
  deleteSmartContractInterface,
  createVelocityControl,
  updateVelocityControl,
  raiseVelocityControl,
  resetVelocityControl,
  deleteVelocityControl,
  createContacts,
  updateContact,
  deleteContacts,
  createTokens,
  deleteTokens,
  createApiOnlyUsers,
  updateUser,
  updateUserName,
  updateUserEmail,
  updateUserPhoneNumber,
  deleteUsers,
  createUserTag,
  updateUserTag,
  deleteUserTags,
  createAuthenticators,
  createSetupKey,
  exchangeOneTimeKey,
  deleteAuthenticators,
  createOauthProviders,
  deleteOauthProviders,
  createOauth2Credential,
  updateOauth2Credential,
  deleteOauth2Credential,
  createMfaPolicy,
  updateMfaPolicy,
  deleteMfaPolicy,
  createPushSubscription,
  createRpcKeys,
  deletePushSubscription,
  updateWallet,
  deleteWallets,
  deleteWalletAccounts,
  disablePrivateKey,
  createPrivateKeyTag,
  updatePrivateKeyTag,
  deletePrivateKeyTags,
  createOrganization,
  deleteOrganization,
  deleteSubOrganization,
  setOrganizationFeature,
  removeOrganizationFeature,
  updateAllowedOrigins,
  updateAuthProxyConfig,
  disableAuthProxy,
  updateOrganizationName,
  setPaymentMethod,
  deletePaymentMethod,
  activateBillingTier,
  setIpAllowlist,
  removeIpAllowlist,
  freeze,
  unfreeze,
  oauth,
  oauthLogin,
  oauth2Authenticate,
  createReadOnlySession,
  createReadWriteSession,
  stampLogin,
  createSessionProfile,
  endSessions,
  emailAuth,
  initOtp,
  initOtpAuth,
  initUserEmailRecovery,
  otpAuth,
  otpLogin,
  recoverUser,
  verifyOtp,
  exportWallet,
  exportWalletAccount,
  initImportSecrets,
  importSecrets,
  exportSecrets,
  deleteSecrets,
  exportPrivateKey,
  initImportWallet,
  importWallet,
  initImportPrivateKey,
  importPrivateKey,
  createInvitations,
  acceptInvitation,
  deleteInvitation,
  createWebhookEndpoint,
  updateWebhookEndpoint,
  deleteWebhookEndpoint,
  testWebhookEndpoint,
  approveActivity,
  rejectActivity,
} as const;

/** The type of the table, with every schema. */
export type Activities = typeof activities;

/** What the executor of an activity works on. Every version of the request becomes this. */
export type ActivityInput<Name extends keyof Activities> = z.output<Activities[Name]['input']>;

import type { Activities } from '@countersign/contract';
import * as addressBook from './address-book.ts';
import * as credentials from './credentials.ts';
import { type CompareOf, nothing } from './operation.ts';
import * as organizations from './organizations.ts';
import * as people from './people.ts';
import * as policies from './policies.ts';
import * as secrets from './secrets.ts';

const signs = nothing('it signs, and `parsed` describes the effects');
const signsIn = nothing('it signs in the user whose proof the request contains');
const makesKeys = nothing('it creates keys, and changes none');
const ofKeys = nothing('the parameters name the keys, and keys have no settings that change');
const exportsKeys = nothing('it returns keys, encrypted, and changes none');
const bills = nothing('billing data is shown to no other user');
const votes = nothing('a vote is a part of the activity that it votes on');

/** What each operation changes. Complete by construction: an operation without an entry does not compile. */
export const operations: { readonly [Name in keyof Activities]: CompareOf<Name> } = {
  ...policies,
  ...addressBook,
  ...credentials,
  ...organizations,
  ...secrets,
  createUsers: people.createUsers,
  createApiOnlyUsers: people.createApiOnlyUsers,
  updateUser: people.updateUser,
  updateUserName: people.updateUserName,
  updateUserEmail: people.updateUserEmail,
  updateUserPhoneNumber: people.updateUserPhoneNumber,
  deleteUsers: people.deleteUsers,
  createUserTag: people.createUserTag,
  updateUserTag: people.updateUserTag,
  deleteUserTags: people.deleteUserTags,
  createPrivateKeyTag: people.createPrivateKeyTag,
  updatePrivateKeyTag: people.updatePrivateKeyTag,
  deletePrivateKeyTags: people.deletePrivateKeyTags,
  createInvitations: people.createInvitations,
  deleteInvitation: people.deleteInvitation,
  signRawPayload: signs,
  signRawPayloads: signs,
  signTransaction: signs,
  ethReplaceTransaction: signs,
  ethSendTransaction: signs,
  ethUndelegate7702: signs,
  solSendTransaction: signs,
  tronSendTransaction: signs,
  bitcoinSendTransaction: signs,
  createWallet: makesKeys,
  createWalletAccounts: makesKeys,
  createPrivateKeys: makesKeys,
  importWallet: makesKeys,
  importPrivateKey: makesKeys,
  initImportWallet: makesKeys,
  initImportPrivateKey: makesKeys,
  initImportSecrets: makesKeys,
  exportSecrets: nothing('it returns secrets, encrypted, and changes none'),
  updateWallet: ofKeys,
  deleteWallets: ofKeys,
  deleteWalletAccounts: ofKeys,
  deletePrivateKeys: ofKeys,
  disablePrivateKey: ofKeys,
  exportWallet: exportsKeys,
  exportWalletAccount: exportsKeys,
  exportPrivateKey: exportsKeys,
  setPaymentMethod: bills,
  deletePaymentMethod: bills,
  activateBillingTier: bills,
  oauth: signsIn,
  oauthLogin: signsIn,
  stampLogin: signsIn,
  createReadOnlySession: signsIn,
  emailAuth: signsIn,
  initOtp: signsIn,
  initOtpAuth: signsIn,
  initUserEmailRecovery: signsIn,
  otpAuth: signsIn,
  otpLogin: signsIn,
  verifyOtp: signsIn,
  oauth2Authenticate: signsIn,
  testWebhookEndpoint: nothing('it sends one event, and changes nothing'),
  approveActivity: votes,
  rejectActivity: votes,
};

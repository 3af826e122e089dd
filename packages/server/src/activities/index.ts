import type { Executors } from '../pipeline/executor.ts';
import { createApiKeys } from './credentials/create-api-keys.ts';
import { deleteApiKeys } from './credentials/delete-api-keys.ts';
import { createPrivateKeys } from './keys/create-private-keys.ts';
import { deletePrivateKeys } from './keys/delete-private-keys.ts';
import { createSubOrganization } from './organizations/create-sub-organization.ts';
import { updateRootQuorum } from './organizations/update-root-quorum.ts';
import { createPolicies } from './policies/create-policies.ts';
import { createPolicy } from './policies/create-policy.ts';
import { createSmartContractInterface } from './policies/create-smart-contract-interface.ts';
import { deletePolicy } from './policies/delete-policy.ts';
import { deleteSmartContractInterface } from './policies/delete-smart-contract-interface.ts';
import { updatePolicy } from './policies/update-policy.ts';
import { signRawPayload } from './signing/sign-raw-payload.ts';
import { signRawPayloads } from './signing/sign-raw-payloads.ts';
import { signTransaction } from './signing/sign-transaction.ts';
import { createUsers } from './users/create-users.ts';
import { createWallet } from './wallets/create-wallet.ts';
import { createWalletAccounts } from './wallets/create-wallet-accounts.ts';

/** How every activity of the contract is carried out. */
export const executors: Executors = {
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
  updateRootQuorum,
  createPolicy,
  createPolicies,
  updatePolicy,
  deletePolicy,
  createSmartContractInterface,
  deleteSmartContractInterface,
};

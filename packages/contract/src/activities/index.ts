import type { ActivityDefinition, ActivityVersion } from '../define.ts';
import { approveActivity } from './consensus/approve-activity.ts';
import { rejectActivity } from './consensus/reject-activity.ts';
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

/** Every activity. Routes, validation, OpenAPI, the client, the command line and the reference all read this table. */
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
  updateRootQuorum,
  createPolicy,
  createPolicies,
  updatePolicy,
  deletePolicy,
  createSmartContractInterface,
  deleteSmartContractInterface,
  approveActivity,
  rejectActivity,
} as const;

export type Activities = typeof activities;

/** The activity and version that each type names. */
export const activityByType: ReadonlyMap<string, { readonly definition: ActivityDefinition; readonly version: ActivityVersion }> =
  new Map(
    Object.values(activities as unknown as Record<string, ActivityDefinition>).flatMap((definition) =>
      definition.versions.map((version) => [version.type, { definition, version }] as const),
    ),
  );

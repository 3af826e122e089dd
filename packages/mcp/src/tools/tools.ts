import { explainActivity, getActivity, listPendingApprovals } from './activities.ts';
import { listAssets, listContacts, listLimits, listWallets } from './lists.ts';
import { proposePayment, simulatePayment } from './payments.ts';
import { payX402, signMessage, signTransaction, signTypedData } from './signatures.ts';
import type { Tool } from './tool.ts';

/**
 * Every tool.
 * SECURITY: D701: none of them changes users, credentials, policies, limits or contacts, votes, exports, or signs a digest. The service
 * would decide on such a request by policy, too.
 */
export const tools: readonly Tool[] = [
  listWallets,
  listContacts,
  listAssets,
  listLimits,
  simulatePayment,
  proposePayment,
  payX402,
  signTransaction,
  signMessage,
  signTypedData,
  getActivity,
  explainActivity,
  listPendingApprovals,
];

/** The names of all tools. */
export const toolNames: readonly string[] = tools.map(({ name }) => name);

import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { idList } from '../../shapes/primitives.ts';

const params = z.strictObject({
  walletAccountIds: idList,
  deleteWithoutExport: z
    .boolean()
    .optional()
    .describe('True deletes accounts that were never exported, neither by themselves nor with their wallet'),
});

export const deleteWalletAccounts = defineActivity({
  name: 'deleteWalletAccounts',
  path: 'delete_wallet_accounts',
  subject: 'wallets',
  summary: 'Delete accounts of wallets, all of them or none; their paths can be derived again',
  policy: { resource: 'WALLET', action: 'DELETE' },
  type: 'ACTIVITY_TYPE_DELETE_WALLET_ACCOUNTS',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ walletAccountIds: z.array(z.string()) }),
});

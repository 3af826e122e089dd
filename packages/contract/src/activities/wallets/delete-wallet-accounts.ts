import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { flag, idList } from '../../shapes/primitives.ts';

const params = z.strictObject({
  walletAccountIds: idList,
  deleteWithoutExport: flag.describe('True also deletes accounts that were never exported, alone or with their wallet'),
});

export const deleteWalletAccounts = defineActivity({
  name: 'deleteWalletAccounts',
  path: 'delete_wallet_accounts',
  subject: 'wallets',
  summary: 'Delete wallet accounts: all of the given ones or none. The wallet can derive their paths again',
  policy: { resource: 'WALLET', action: 'DELETE' },
  type: 'ACTIVITY_TYPE_DELETE_WALLET_ACCOUNTS',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ walletAccountIds: z.array(z.string()) }),
});

import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { flag, idList } from '../../shapes/primitives.ts';

const params = z.strictObject({
  walletIds: idList,
  deleteWithoutExport: flag.describe('True also deletes wallets that were never exported. Their keys are then lost'),
});

export const deleteWallets = defineActivity({
  name: 'deleteWallets',
  path: 'delete_wallets',
  subject: 'wallets',
  summary: 'Delete wallets and all their accounts',
  policy: { resource: 'WALLET', action: 'DELETE' },
  type: 'ACTIVITY_TYPE_DELETE_WALLETS',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ walletIds: z.array(z.string()) }),
});

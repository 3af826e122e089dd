import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { id, label } from '../../shapes/primitives.ts';

const params = z.strictObject({ walletId: id, walletName: label.optional() });

export const updateWallet = defineActivity({
  name: 'updateWallet',
  path: 'update_wallet',
  subject: 'wallets',
  summary: 'Rename a wallet',
  policy: { resource: 'WALLET', action: 'UPDATE' },
  type: 'ACTIVITY_TYPE_UPDATE_WALLET',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ walletId: z.string() }),
});

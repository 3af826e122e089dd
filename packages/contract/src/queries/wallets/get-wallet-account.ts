import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { id, organizationId } from '../../shapes/primitives.ts';
import { walletAccount } from '../../shapes/wallets.ts';

export const getWalletAccount = defineQuery({
  name: 'getWalletAccount',
  path: 'get_wallet_account',
  subject: 'wallets',
  summary: 'Get one wallet account by its address or its path',
  reads: { resources: ['WALLET'] },
  input: z.strictObject({
    organizationId,
    walletId: id,
    address: z.string().min(1).max(256).optional(),
    path: z.string().min(1).max(128).optional(),
  }),
  output: z.object({ account: walletAccount }),
});

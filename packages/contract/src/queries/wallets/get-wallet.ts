import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { id, organizationId } from '../../shapes/primitives.ts';
import { wallet } from '../../shapes/wallets.ts';

export const getWallet = defineQuery({
  name: 'getWallet',
  path: 'get_wallet',
  subject: 'wallets',
  summary: 'Get one wallet',
  reads: { resources: ['WALLET'] },
  input: z.strictObject({ organizationId, walletId: id }),
  output: z.object({ wallet }),
});

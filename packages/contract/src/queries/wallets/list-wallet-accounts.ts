import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { id, organizationId, paginationOptions } from '../../shapes/primitives.ts';
import { walletAccount } from '../../shapes/wallets.ts';

export const listWalletAccounts = defineQuery({
  name: 'listWalletAccounts',
  path: 'list_wallet_accounts',
  subject: 'wallets',
  summary: 'List wallet accounts, newest first',
  reads: { resources: ['WALLET'] },
  input: z.strictObject({
    organizationId,
    walletId: id.optional(),
    address: z.string().min(1).max(128).optional().describe('Only accounts with this address'),
    includeWalletDetails: z.boolean().optional(),
    paginationOptions: paginationOptions.optional(),
  }),
  output: z.object({ accounts: z.array(walletAccount) }),
});

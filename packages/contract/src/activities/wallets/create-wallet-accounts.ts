import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { defaults } from '../../shapes/defaults.ts';
import { id } from '../../shapes/primitives.ts';
import { walletAccountList } from '../../shapes/wallets.ts';

const params = z.strictObject({
  walletId: id,
  accounts: walletAccountList.min(1, 'must not be empty'),
  persist: z
    .boolean()
    .optional()
    .meta({ default: defaults.persistAccounts })
    .describe('False returns the addresses without storing the accounts. True by default'),
});

export const createWalletAccounts = defineActivity({
  name: 'createWalletAccounts',
  path: 'create_wallet_accounts',
  subject: 'wallets',
  summary: 'Derive more accounts from a wallet',
  policy: { resource: 'WALLET', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ addresses: z.array(z.string()) }),
});

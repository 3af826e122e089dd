import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { encryptedBundle } from '../../shapes/bundles.ts';
import { id, label } from '../../shapes/primitives.ts';
import { walletAccountList, walletResult } from '../../shapes/wallets.ts';

const params = z.strictObject({ userId: id, walletName: label, encryptedBundle, accounts: walletAccountList });

export const importWallet = defineActivity({
  name: 'importWallet',
  path: 'import_wallet',
  subject: 'transfer',
  summary: 'Import a wallet from its recovery phrase and derive its first accounts',
  policy: { resource: 'WALLET', action: 'IMPORT' },
  type: 'ACTIVITY_TYPE_IMPORT_WALLET',
  spec: 'types',
  params,
  intent: params,
  result: walletResult,
});

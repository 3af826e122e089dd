import { defineActivity } from '../../define.ts';
import { walletParams, walletResult } from '../../shapes/wallets.ts';

export const createWallet = defineActivity({
  name: 'createWallet',
  path: 'create_wallet',
  subject: 'wallets',
  summary: 'Generate a wallet and derive its first accounts',
  policy: { resource: 'WALLET', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_CREATE_WALLET',
  spec: 'types',
  params: walletParams,
  intent: walletParams,
  result: walletResult,
});

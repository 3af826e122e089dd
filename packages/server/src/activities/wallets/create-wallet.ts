import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/executor.ts';
import { limitExceeded, nameTaken } from '../refuse.ts';
import { readAccounts } from './new-accounts.ts';
import { generateWallet, newWallet } from './new-wallet.ts';

export const createWallet = execute(activities.createWallet, {
  exclusive: true,

  async plan({ organization, resources, limits }, params) {
    const accounts = readAccounts(params.accounts, 'accounts');
    const held = await resources.count(organization.id, 'wallet');
    if (held + 1 > limits.maxWallets) throw limitExceeded('wallets', limits.maxWallets, 'maxWallets');
    const [taken] = await resources.find(organization.id, 'walletName', params.walletName);
    if (taken !== undefined) throw nameTaken('wallet', 'walletName');
    return { intent: params, subject: {}, prepared: newWallet(params.walletName, params.mnemonicLength, accounts) };
  },

  async run(context, { prepared }) {
    return generateWallet(context, context.organization.id, prepared);
  },
});

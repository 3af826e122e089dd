import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { readAccounts } from './new-accounts.ts';
import { generateWallet, newWallet, requireNewWallet } from './new-wallet.ts';

export const createWallet = execute(activities.createWallet, {
  locksOrganization: true,

  async plan(context, params) {
    const accounts = readAccounts(params.accounts, 'accounts');
    await requireNewWallet(context, params.walletName);
    return { intent: params, subject: {}, prepared: newWallet(params.walletName, params.mnemonicLength, accounts) };
  },

  async run(context, { prepared }) {
    return generateWallet(context, context.organization.id, prepared);
  },
});

import { activities, defaults } from '@countersign/contract';
import { execute } from '../../pipeline/executor.ts';
import { notFound } from '../../wire/refuse.ts';
import { pathTaken, readAccounts, recordAccounts } from './new-accounts.ts';

export const createWalletAccounts = execute(activities.createWalletAccounts, {
  exclusive: true,

  async plan({ organization, resources }, params) {
    const { walletId, persist = defaults.persistAccounts } = params;
    if ((await resources.get(organization.id, 'wallet', walletId)) === undefined) throw notFound('wallet', 'walletId');
    const accounts = readAccounts(params.accounts, 'accounts');
    if (persist) {
      for (const [index, { path }] of accounts.entries()) {
        if ((await resources.accountAt(organization.id, walletId, path)) !== undefined) throw pathTaken(`accounts.${index}.path`);
      }
    }
    return { intent: params, subject: {}, prepared: { walletId, accounts, persist } };
  },

  async run({ organization, vault, newId, nowMs }, { prepared: { walletId, accounts, persist } }) {
    const publicKeys = await vault.keys.deriveAccounts(organization.id, walletId, accounts);
    const { addresses, changes } = recordAccounts(walletId, accounts, publicKeys, newId, nowMs);
    return { result: { addresses }, changes: persist ? changes : [] };
  },
});

import { activities, defaults } from '@countersign/contract';
import type { Touch } from '@countersign/judgement';
import { execute } from '../../pipeline/plan/executor.ts';
import { notFound } from '../../wire/refuse.ts';
import { pathTaken, readAccounts, recordAccounts } from './new-accounts.ts';

export const createWalletAccounts = execute(activities.createWalletAccounts, {
  locksOrganization: true,

  async plan({ organization, resources }, params) {
    const { walletId, persist = defaults.persistAccounts } = params;
    if ((await resources.get(organization.id, 'wallet', walletId)) === undefined) throw notFound('wallet', 'walletId');
    const accounts = readAccounts(params.accounts, 'accounts');
    const touches: Touch[] = [];
    if (persist) {
      for (const [index, { path, addressFormat, curve }] of accounts.entries()) {
        const held = await resources.accountsAt(organization.id, walletId, path);
        if (held.some(({ body }) => body.addressFormat === addressFormat)) throw pathTaken(`accounts.${index}.path`);
        const siblings = held.filter(({ body }) => body.curve === curve);
        touches.push(...siblings.map(({ body }): Touch => ({ what: 'ACCOUNT_ADDRESS', address: body.address })));
      }
    }
    return { intent: params, subject: { touches }, prepared: { walletId, accounts, persist } };
  },

  async run(context, { prepared: { walletId, accounts, persist } }) {
    const publicKeys = await context.vault.keys.deriveAccounts(context.organization.id, walletId, accounts);
    const { addresses, changes } = await recordAccounts(context, walletId, accounts, publicKeys);
    return { result: { addresses }, changes: persist ? changes : [] };
  },
});

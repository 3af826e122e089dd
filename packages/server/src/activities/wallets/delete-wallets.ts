import { activities, ServiceError } from '@countersign/contract';
import type { Resource } from '../../organizations/records.ts';
import type { Change } from '../../organizations/snapshot/changes.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { notFound, requireDistinct } from '../../wire/refuse.ts';
import { accountsOfWallet } from './wallet-accounts.ts';

export const deleteWallets = execute(activities.deleteWallets, {
  locksOrganization: true,
  endsKeys: true,

  async plan({ organization, resources }, params) {
    const { walletIds, deleteWithoutExport = false } = params;
    requireDistinct(walletIds, 'wallet', 'walletIds');
    const wallets: Resource<'wallet'>[] = [];
    const accounts: Resource<'walletAccount'>[] = [];
    for (const [index, id] of walletIds.entries()) {
      const wallet = await resources.get(organization.id, 'wallet', id);
      if (wallet === undefined) throw notFound('wallet', `walletIds.${index}`);
      if (!wallet.body.exported && !deleteWithoutExport) {
        throw new ServiceError(
          'PRECONDITION_FAILED',
          `Wallet ${id} was never exported: deleting it destroys its keys permanently. Export it first, or set deleteWithoutExport to true.`,
          { violations: [{ field: `walletIds.${index}`, description: 'This wallet was not exported.' }] },
        );
      }
      wallets.push(wallet);
      accounts.push(...(await accountsOfWallet(resources, organization.id, id)));
    }
    return { intent: params, subject: { wallets }, prepared: { wallets, accounts } };
  },

  async run(_context, { prepared: { wallets, accounts } }) {
    const walletIds = wallets.map(({ id }) => id);
    const changes: Change[] = [
      ...accounts.map((previous) => ({ op: 'deleteResource' as const, previous })),
      ...wallets.map((previous) => ({ op: 'deleteResource' as const, previous })),
      ...walletIds.map((id) => ({ op: 'deleteSecret' as const, id })),
    ];
    return { result: { walletIds }, changes, forget: walletIds };
  },
});

import { activities, ServiceError } from '@countersign/contract';
import { isSameKey } from '@countersign/judgement';
import type { Resource } from '../../organizations/records.ts';
import type { Change } from '../../organizations/snapshot/changes.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { notFound, requireDistinct } from '../../wire/refuse.ts';

export const deleteWalletAccounts = execute(activities.deleteWalletAccounts, {
  locksOrganization: true,
  endsKeys: true,

  async plan({ organization, resources, limits }, params) {
    const { walletAccountIds, deleteWithoutExport = false } = params;
    requireDistinct(walletAccountIds, 'wallet account', 'walletAccountIds');
    const doomed = new Map<string, Doomed>();
    for (const [index, id] of walletAccountIds.entries()) {
      const field = `walletAccountIds.${index}`;
      const account = await resources.get(organization.id, 'walletAccount', id);
      if (account === undefined) throw notFound('wallet account', field);
      const wallet = await resources.walletOf(organization, account);
      if (!deleteWithoutExport) {
        const atPath = await resources.accountsAt(organization.id, wallet.id, account.body.path);
        requireExported(account, atPath, wallet, field);
      }
      const { accounts } = doomed.get(wallet.id) ?? { accounts: [] };
      requireRoom(wallet, accounts.length + 1, limits.maxDeletedAccounts, field);
      doomed.set(wallet.id, { wallet, accounts: [...accounts, account] });
    }
    const prepared = [...doomed.values()];
    return { intent: params, subject: { wallets: prepared.map(({ wallet }) => wallet) }, prepared };
  },

  async run(_context, { intent: { walletAccountIds }, prepared }) {
    const changes = prepared.flatMap(({ wallet, accounts }): Change[] => [
      ...accounts.map((previous) => ({ op: 'deleteResource' as const, previous })),
      withoutAccounts(wallet, accounts),
    ]);
    return { result: { walletAccountIds }, changes, forget: walletAccountIds };
  },
});

/** Accounts to delete, and their wallet. */
interface Doomed {
  readonly wallet: Resource<'wallet'>;
  readonly accounts: readonly Resource<'walletAccount'>[];
}

/**
 * Rejects the deletion of an account whose key was never exported. The wallet could derive the key again, but only if the path is known,
 * and only until the wallet is deleted too. So this requires the same confirmation as deleting a wallet or a private key. An account counts
 * as exported if its key was exported, also for another address format, or the phrase of its wallet, which restores all accounts.
 */
function requireExported(
  account: Resource<'walletAccount'>,
  atPath: readonly Resource<'walletAccount'>[],
  wallet: Resource<'wallet'>,
  field: string,
): void {
  if (wallet.body.exported) return;
  if (atPath.some((other) => other.body.exported === true && isSameKey(account, other))) return;
  throw new ServiceError(
    'PRECONDITION_FAILED',
    `Wallet account ${account.id} was never exported, alone or with its wallet. Export it first, or set deleteWithoutExport to true: the wallet can then still derive its path ${account.body.path} again.`,
    { violations: [{ field, description: 'This account was not exported.' }] },
  );
}

/** Limits the list of deleted accounts, because it is read with the wallet. */
function requireRoom(
  { id, body: { deletedAccounts = [] } }: Resource<'wallet'>,
  more: number,
  limit: number,
  field: string,
): void {
  if (deletedAccounts.length + more <= limit) return;
  throw new ServiceError(
    'LIMIT_EXCEEDED',
    `Wallet ${id} would have more than ${limit} deleted accounts (maxDeletedAccounts). Ask the operator to raise the limit, or use another wallet.`,
    { violations: [{ field, description: 'The wallet cannot record another deleted account.' }] },
  );
}

function withoutAccounts(previous: Resource<'wallet'>, accounts: readonly Resource<'walletAccount'>[]): Change {
  const { id, body } = previous;
  const deletedAccounts = [...(body.deletedAccounts ?? []), ...accounts.map((account) => account.id)];
  return { op: 'putResource', kind: 'wallet', id, body: { ...body, deletedAccounts }, previous };
}

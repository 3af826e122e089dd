import type { Resource } from '../records.ts';
import { type Alarm, tampered } from './load.ts';
import { stillChanging } from './verify-resources.ts';

type Account = Resource<'walletAccount'>;
type Wallet = Resource<'wallet'>;

/** Maximum number of reads if other nodes keep deleting accounts. */
const MAX_READS = 8;

/**
 * Reads wallet accounts, and returns them only if all are in force: each belongs to a wallet in force that does not list it as
 * deleted. Each attempt reads all wallets in one call, after the accounts.
 * SECURITY: an account's MAC never expires, and no sum covers it. Only its wallet shows that the service deleted a row that an attacker
 * restored. Such a row always raises the alarm and is never returned.
 */
export async function readVerifiedAccounts(
  alarm: Alarm,
  organizationId: string,
  read: () => Promise<readonly Account[]>,
  readWallets: (ids: readonly string[]) => Promise<ReadonlyMap<string, Wallet>>,
): Promise<readonly Account[]> {
  let gone: ReadonlyMap<string, string> = new Map();
  for (let reads = 0; reads < MAX_READS; reads++) {
    const accounts = await read();
    const putBack = accounts.find(({ id }) => gone.has(id));
    if (putBack !== undefined) throw tampered(alarm, organizationId, gone.get(putBack.id) as string);
    gone = await findDeleted(accounts, readWallets);
    if (gone.size === 0) return accounts;
    // INVARIANT: the wallets were read after the accounts, so another node may have deleted these accounts in between. Then the next read
    // does
    // not find them, unless an attacker restored them.
  }
  throw stillChanging('accounts');
}

/** The deleted accounts by id, with the alarm message to use if one of them still exists. */
async function findDeleted(
  accounts: readonly Account[],
  readWallets: (ids: readonly string[]) => Promise<ReadonlyMap<string, Wallet>>,
): Promise<ReadonlyMap<string, string>> {
  const byWallet = new Map<string, Set<string>>();
  for (const { id, body } of accounts) {
    const siblings = byWallet.get(body.walletId);
    if (siblings === undefined) byWallet.set(body.walletId, new Set([id]));
    else siblings.add(id);
  }
  const gone = new Map<string, string>();
  const wallets = byWallet.size === 0 ? new Map<string, Wallet>() : await readWallets([...byWallet.keys()]);
  for (const [walletId, ids] of byWallet) {
    const wallet = wallets.get(walletId);
    if (wallet === undefined) for (const id of ids) gone.set(id, `the wallet ${walletId} of a stored account is missing`);
    for (const id of wallet?.body.deletedAccounts ?? [])
      if (ids.has(id)) gone.set(id, `the walletAccount ${id} was deleted, and restored outside the service`);
  }
  return gone;
}

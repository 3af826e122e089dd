import { stillChanging } from './in-force.ts';
import type { Resource } from './records.ts';
import { type Alarm, tampered } from './snapshots.ts';

type Account = Resource<'walletAccount'>;
type Wallet = Resource<'wallet'>;

/** How often accounts are read again because other nodes keep deleting them. */
const MAX_READS = 8;

/**
 * Reads wallet accounts, and gives them only if all are in force: each belongs to a wallet that is, and that does not know it as
 * deleted. Every wallet is asked for once in a read, after its accounts.
 * SECURITY: an account's MAC is good for ever, and no sum holds it. A row that the service deleted and somebody put back is told by
 * its wallet alone; it is an alarm wherever it is met, and never an answer.
 */
export async function readAccountsInForce(
  alarm: Alarm,
  organizationId: string,
  read: () => Promise<readonly Account[]>,
  walletInForce: (id: string) => Promise<Wallet | undefined>,
): Promise<readonly Account[]> {
  let gone: ReadonlyMap<string, string> = new Map();
  for (let reads = 0; reads < MAX_READS; reads++) {
    const accounts = await read();
    const putBack = accounts.find(({ id }) => gone.has(id));
    if (putBack !== undefined) throw tampered(alarm, organizationId, gone.get(putBack.id) as string);
    gone = await goneAmong(accounts, walletInForce);
    if (gone.size === 0) return accounts;
    // INVARIANT: the wallets were read after the accounts, so another node may have deleted these in between. Then they are not there
    // when they are read again, unless someone put them back.
  }
  throw stillChanging('accounts');
}

/** The accounts that must be gone by now, by id, and what is wrong where one of them is not. */
async function goneAmong(
  accounts: readonly Account[],
  walletInForce: (id: string) => Promise<Wallet | undefined>,
): Promise<ReadonlyMap<string, string>> {
  const byWallet = new Map<string, Set<string>>();
  for (const { id, body } of accounts) {
    const siblings = byWallet.get(body.walletId);
    if (siblings === undefined) byWallet.set(body.walletId, new Set([id]));
    else siblings.add(id);
  }
  const gone = new Map<string, string>();
  const look = async ([walletId, ids]: readonly [string, ReadonlySet<string>]) => {
    const wallet = await walletInForce(walletId);
    if (wallet === undefined) for (const id of ids) gone.set(id, `the wallet ${walletId} of a stored account is missing`);
    for (const id of wallet?.body.deletedAccounts ?? [])
      if (ids.has(id)) gone.set(id, `the walletAccount ${id} was deleted, and put back outside the service`);
  };
  await Promise.all([...byWallet].map(look));
  return gone;
}

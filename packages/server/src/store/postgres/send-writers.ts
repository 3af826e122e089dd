import type pg from 'pg';
import type { SendAccountClaim, SendAccountHead, SendAccountKey, SendStore } from '../send-store.ts';
import { toBytes, toCoveredInteger, toText } from '../table.ts';
import type { Entry } from './independent-entries.ts';
import { type Execute, transaction, withSession } from './session.ts';
import { toStored } from './text.ts';
import { WriteSet } from './write-set.ts';

/** The accounts of a transaction, including the rows that it wrote. */
export type SeenAccounts = Map<string, SendAccountHead>;

/** Name of an account, including its organization. */
export const accountName = ({ organizationId, chain, account }: SendAccountKey): string =>
  `${organizationId}/${chain}/${account}`;

const readClaimed = `SELECT a.organization_id, a.chain, a.account, a.revision, a.mac FROM send_accounts a
  JOIN unnest($1::text[], $2::text[], $3::text[]) AS wanted (organization_id, chain, account)
  ON a.organization_id = wanted.organization_id AND a.chain = wanted.chain AND a.account = wanted.account
  ORDER BY a.organization_id, a.chain, a.account FOR UPDATE OF a`;

/** The accounts of a batch, locked. Lock their organizations for change first, so that no other commit adds one. */
export async function readAccounts(execute: Execute, entries: readonly Entry[]): Promise<SeenAccounts> {
  const claims = entries.flatMap(({ commit }) => commit.accounts ?? []);
  const seen: SeenAccounts = new Map();
  if (claims.length === 0) return seen;
  const rows = await execute('read_send_accounts', readClaimed, [
    claims.map(({ organizationId }) => toStored(organizationId)),
    claims.map(({ chain }) => toStored(chain)),
    claims.map(({ account }) => toStored(account)),
  ]);
  for (const row of rows) {
    const key = { organizationId: toText(row, 'organization_id'), chain: toText(row, 'chain'), account: toText(row, 'account') };
    seen.set(accountName(key), { revision: toCoveredInteger(row, 'revision'), mac: toBytes(row, 'mac') });
  }
  return seen;
}

/** Whether every account is stored as expected. */
export function areAccountsCurrent(claims: readonly SendAccountClaim[], seen: SeenAccounts): boolean {
  return claims.every((claim) => {
    const stored = seen.get(accountName(claim));
    const { expected } = claim;
    if (stored === undefined || expected === undefined) return stored === expected;
    return stored.revision === expected.revision && Buffer.compare(stored.mac, expected.mac) === 0;
  });
}

const lockSend = 'SELECT revision FROM sends WHERE organization_id = $1 AND id = $2 FOR UPDATE';
const lockAccount = 'SELECT revision FROM send_accounts WHERE organization_id = $1 AND chain = $2 AND account = $3 FOR UPDATE';

/** Changes of transactions that the service sends. */
export function createSendWriters(pool: pg.Pool): Pick<SendStore, 'change'> {
  return {
    change: ({ organizationId, chain, account, expected, accountRevision, writes }) =>
      withSession(pool, (session) =>
        transaction(session, async (execute) => {
          if (accountRevision !== undefined) {
            const [row] = await execute('lock_send_account', lockAccount, [organizationId, chain, account].map(toStored));
            if (row === undefined || toCoveredInteger(row, 'revision') !== accountRevision) return false;
          }
          for (const { id, revision } of [...expected].sort((a, b) => (a.id < b.id ? -1 : 1))) {
            const [row] = await execute('lock_send', lockSend, [organizationId, id].map(toStored));
            if (row === undefined || toCoveredInteger(row, 'revision') !== revision) return false;
          }
          const set = new WriteSet();
          set.add({ organizationId, writes });
          await set.flush(execute);
          return true;
        }),
      ),
  };
}

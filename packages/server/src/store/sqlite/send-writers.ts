import type { Write } from '../rows.ts';
import type { SendAccountClaim, SendAccountHead, SendStore } from '../send-store.ts';
import type { Database, Statement } from './driver.ts';
import { createTransaction } from './transaction.ts';

/** Checks accounts within a write transaction, so no other process changes them concurrently. */
export function createAccountCheck(db: Database): (claims: readonly SendAccountClaim[]) => boolean {
  // Prepared on first use, because an earlier schema lacks the table.
  let select: Statement | undefined;
  return (claims) =>
    claims.every(({ organizationId, chain, account, expected }) => {
      select ??= db.prepare('SELECT revision, mac FROM send_accounts WHERE organization_id = ? AND chain = ? AND account = ?');
      const row = select.row(organizationId, chain, account);
      return sameAccount(row && { revision: row[0] as number, mac: row[1] as Uint8Array }, expected);
    });
}

/** Whether an account is stored as expected. */
export function sameAccount(stored: SendAccountHead | undefined, expected: SendAccountHead | undefined): boolean {
  if (stored === undefined || expected === undefined) return stored === expected;
  return stored.revision === expected.revision && Buffer.compare(stored.mac, expected.mac) === 0;
}

/** Changes of transactions that the service sends. */
export function createSendWriters(
  db: Database,
  write: () => (write: Write) => void,
  run: <T>(work: () => T) => Promise<T>,
): Pick<SendStore, 'change'> {
  const transaction = createTransaction(db);
  let prepared: { readonly send: Statement; readonly account: Statement; readonly put: (write: Write) => void } | undefined;
  const prepare = () => ({
    send: db.prepare('SELECT revision FROM sends WHERE organization_id = ? AND id = ?'),
    account: db.prepare('SELECT revision FROM send_accounts WHERE organization_id = ? AND chain = ? AND account = ?'),
    put: write(),
  });
  return {
    change: ({ organizationId, chain, account, expected, accountRevision, writes }) =>
      run(() =>
        transaction(() => {
          prepared ??= prepare();
          const { send, account: selectAccount, put } = prepared;
          if (expected.some(({ id, revision }) => send.value(organizationId, id) !== revision)) return false;
          if (accountRevision !== undefined && selectAccount.value(organizationId, chain, account) !== accountRevision)
            return false;
          for (const one of writes) put(one);
          return true;
        }),
      ),
  };
}

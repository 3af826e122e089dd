import type { Cursor } from './cursor.ts';
import type { SendFilter } from './send-store.ts';
import type { Statement, Value } from './statement.ts';
import { sends } from './tables.ts';

/** Query for one page of filtered transactions. An index has each filter with the id, so the cost depends on the page, not on the history. */
export function sendListing(
  organizationId: string,
  { chain, account }: SendFilter,
  cursor: Cursor,
): { readonly statement: Statement; readonly params: readonly Value[] } {
  const ofAccount = account === undefined ? '' : ' AND account = ?';
  const onChain = chain === undefined ? '' : ' AND chain = ?';
  const sql =
    `SELECT ${sends.list} FROM sends WHERE organization_id = ?${ofAccount}${onChain}${cursor.condition('id')} ` +
    `ORDER BY id ${cursor.direction} LIMIT ?`;
  const wanted = [account, chain].filter((value) => value !== undefined);
  return { statement: { sql }, params: [organizationId, ...wanted, ...cursor.params, cursor.limit] };
}

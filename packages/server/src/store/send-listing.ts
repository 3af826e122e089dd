import type { Cursor } from './cursor.ts';
import type { SendState } from './rows.ts';
import type { SendFilter } from './send-store.ts';
import type { Statement, Value } from './statement.ts';
import { sends } from './tables.ts';

const states: readonly SendState[] = ['INITIALIZED', 'BROADCASTING', 'INCLUDED', 'COMPLETED', 'FAILED', 'CANCELLED', 'UNKNOWN'];

/** How `JSON.stringify` writes it in a body. In a text of the body, the quotes would be escaped. */
const REVERTED = '%"isReverted":true%';

/**
 * Query for one page of filtered transactions. Each state is a separate index scan, limited to the page size, and the scans are merged by
 * id. So the cost depends on the page, not on the history, except where `isReverted` is given: SQLite then reads the rows by id.
 */
export function sendListing(
  organizationId: string,
  { chain, account, states: wanted }: SendFilter,
  cursor: Cursor,
): { readonly statement: Statement; readonly params: readonly Value[] } {
  const tail = `ORDER BY id ${cursor.direction} LIMIT ?`;
  const ofAccount = account === undefined ? '' : ' AND account = ?';
  const onChain = chain === undefined ? '' : ' AND chain = ?';
  const fixed = [organizationId, ...(account === undefined ? [] : [account]), ...(chain === undefined ? [] : [chain])];
  const isWhole = wanted === undefined && fixed.length === 1;
  const branches: NonNullable<SendFilter['states']> = wanted ?? states.map((state) => ({ state }));
  const walks = isWhole ? [{ condition: '', params: [] }] : branches.map(toBranch);
  const selects = walks.map(
    ({ condition }, at) =>
      `SELECT id FROM (SELECT id FROM sends WHERE organization_id = ?${ofAccount}${onChain}${condition}${cursor.condition('id')} ${tail}) AS walk_${at}`,
  );
  const sql =
    `SELECT ${sends.list} FROM sends WHERE organization_id = ? AND id IN ` +
    `(SELECT id FROM (${selects.join(' UNION ALL ')}) AS walks ${tail}) ORDER BY id ${cursor.direction}`;
  const params = walks.flatMap((walk) => [...fixed, ...walk.params, ...cursor.params, cursor.limit]);
  return { statement: { sql }, params: [organizationId, ...params, cursor.limit] };
}

function toBranch({ state, isReverted }: NonNullable<SendFilter['states']>[number]) {
  if (isReverted === undefined) return { condition: ' AND state = ?', params: [state] };
  return { condition: ` AND state = ? AND body ${isReverted ? '' : 'NOT '}LIKE ?`, params: [state, REVERTED] };
}

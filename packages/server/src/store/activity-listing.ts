import { completed, statuses } from './activity-status.ts';
import type { Cursor } from './cursor.ts';
import type { Statement, Value } from './statement.ts';
import type { ActivityFilter } from './store.ts';
import { activities } from './tables.ts';

/** SQLite allows at most 500 terms in a compound SELECT. The contract has about a hundred types. */
const mostBranches = 400;

interface Branch {
  readonly condition: string;
  readonly params: readonly Value[];
}

/**
 * Query for one page of filtered activities. Each type or status is a separate index scan, limited to the page size, and the scans are
 * merged by id. The cost depends on the page and the number of values, not on the history.
 * Returns undefined if the filter can match nothing.
 */
export function activityListing(
  organizationId: string,
  filter: ActivityFilter,
  cursor: Cursor,
): { readonly statement: Statement; readonly params: readonly Value[] } | undefined {
  const branches = toBranches(filter);
  if (branches.length === 0) return undefined;
  if (branches.length > mostBranches) throw new RangeError(`activities can be filtered by ${mostBranches} values at most`);
  const tail = `ORDER BY id ${cursor.direction} LIMIT ?`;
  const walks = branches.map(
    ({ condition }, index) =>
      `SELECT id FROM (SELECT id FROM activities WHERE organization_id = ?${condition}${cursor.condition('id')} ${tail}) AS walk_${index}`,
  );
  const sql =
    `SELECT ${activities.list} FROM activities WHERE organization_id = ? AND id IN ` +
    `(SELECT id FROM (${walks.join(' UNION ALL ')}) AS walks ${tail}) ORDER BY id ${cursor.direction}`;
  const params = branches.flatMap((branch) => [organizationId, ...branch.params, ...cursor.params, cursor.limit]);
  return { statement: { sql }, params: [organizationId, ...params, cursor.limit] };
}

function toBranches({ statuses: wantedStatuses = [], types = [] }: ActivityFilter): readonly Branch[] {
  // SECURITY: only the schema's own statuses reach the SQL text. A partial index needs them as literals.
  const known = [...new Set(wantedStatuses)].filter((status) => statuses.has(status));
  if (wantedStatuses.length > 0 && known.length === 0) return [];
  const byStatus = known.length > 0 && known.length < statuses.size;
  const distinctTypes = [...new Set(types)];
  if (byStatus && !known.includes(completed)) {
    // The second condition repeats the condition of the partial index verbatim. SQLite uses the index only if it finds that condition.
    const walks = known.map((status) => ` AND status = '${status}' AND status <> '${completed}'`);
    if (distinctTypes.length === 0) return walks.map((condition) => ({ condition, params: [] }));
    if (walks.length * distinctTypes.length <= mostBranches)
      return walks.flatMap((walk) => distinctTypes.map((type) => ({ condition: `${walk} AND type = ?`, params: [type] })));
    const typed = ` AND type IN (${distinctTypes.map(() => '?').join(', ')})`;
    return walks.map((walk) => ({ condition: `${walk}${typed}`, params: distinctTypes }));
  }
  const inStatus = byStatus ? ` AND status IN (${known.map((status) => `'${status}'`).join(', ')})` : '';
  if (distinctTypes.length === 0) return [{ condition: inStatus, params: [] }];
  return distinctTypes.map((type) => ({ condition: ` AND type = ?${inStatus}`, params: [type] }));
}

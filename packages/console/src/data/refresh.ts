import type { Query, QueryClient } from '@tanstack/react-query';
import { WHOLE } from './whole-list.ts';

/** What the browser worked out by itself. It follows its inputs, so it is not asked for again. */
const own = new Set<unknown>(['check', 'bench']);

const isWhole = ({ queryKey }: Query) => queryKey[1] === WHOLE;
/** Long lists that have to be asked for once more, because something happened while they were asked for. */
const again = new WeakSet<Query>();

/** Has everything that is shown, and came from the service, asked for again. */
export async function refresh(queries: QueryClient): Promise<void> {
  for (const query of queries.getQueryCache().findAll({ predicate: isWhole, fetchStatus: 'fetching' }))
    afterwards(queries, query);
  await Promise.all([
    queries.invalidateQueries({ predicate: (query) => !own.has(query.queryKey[0]) && !isWhole(query) }),
    // A long list takes many requests. In a busy organization it would never be complete, if every step began it anew.
    queries.invalidateQueries({ predicate: isWhole }, { cancelRefetch: false }),
  ]);
}

function afterwards(queries: QueryClient, query: Query): void {
  if (again.has(query)) return;
  again.add(query);
  const ask = () => {
    again.delete(query);
    void queries.invalidateQueries({ queryKey: query.queryKey, exact: true });
  };
  void query.promise?.then(ask, ask);
}

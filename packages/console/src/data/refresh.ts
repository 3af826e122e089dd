import type { Query, QueryClient } from '@tanstack/react-query';
import { WHOLE } from './whole-list.ts';

/** Queries that need no refresh: computed in the browser from others, or identified by the time of their last change. */
const own = new Set<unknown>(['check', 'past', 'bench', 'smartContractInterface']);

const isWhole = ({ queryKey }: Query) => queryKey[1] === WHOLE;
/** Long lists that need another refresh after the running one. */
const again = new WeakSet<Query>();

/** Refetches what was loaded earlier. Queries that are running now need no repetition. */
export async function refreshLoaded(queries: QueryClient): Promise<void> {
  await queries.invalidateQueries({ predicate: ({ queryKey }) => !own.has(queryKey[0]) }, { cancelRefetch: false });
}

/** Refetches all visible data of the service. */
export async function refresh(queries: QueryClient): Promise<void> {
  for (const query of queries.getQueryCache().findAll({ predicate: isWhole, fetchStatus: 'fetching' }))
    afterwards(queries, query);
  await Promise.all([
    queries.invalidateQueries({ predicate: (query) => !own.has(query.queryKey[0]) && !isWhole(query) }),
    // A long list needs many requests. Do not restart it on every log entry, or it would never complete.
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

import type { QueryClient } from '@tanstack/react-query';

/** What the browser worked out by itself. It follows its inputs, so it is not asked for again. */
const own = new Set<unknown>(['check', 'bench']);

/** Has everything that is shown, and came from the service, asked for again. */
export function refresh(queries: QueryClient): Promise<void> {
  return queries.invalidateQueries({ predicate: ({ queryKey }) => !own.has(queryKey[0]) });
}

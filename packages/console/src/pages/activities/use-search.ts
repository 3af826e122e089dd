import type { ListedActivity } from '@countersign/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ask } from '../../data/service-query.ts';
import { useSession } from '../../session/context.tsx';
import type { SearchInput } from './filter.ts';

const PAGE = 50;
/** Requests without a result before the person is asked whether to continue. */
const PATIENCE = 10;

/** Activities that match, newest first. The service searches a part of the history for each request. */
export function useSearch(input: SearchInput) {
  const { reader } = useSession();
  const query = useInfiniteQuery({
    queryKey: ['searchActivities', input],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      ask(reader, 'searchActivities', { ...input, limit: PAGE, ...(pageParam !== undefined && { cursor: pageParam }) }, signal),
    getNextPageParam: ({ next }) => next,
  });
  const pages = query.data?.pages ?? [];
  const items: readonly ListedActivity[] = pages.flatMap(({ activities }) => activities);
  const { hasNextPage, isFetching, fetchNextPage, isError } = query;
  const goesOn = items.length === 0 && hasNextPage && !isFetching && !isError && pages.length < PATIENCE;
  useEffect(() => {
    if (goesOn) void fetchNextPage();
  }, [goesOn, fetchNextPage]);
  const to = hasNextPage ? pages.at(-1)?.searchedTo : undefined;
  return {
    query,
    items,
    /** The time up to which the history was searched. Undefined if it was searched to its beginning. */
    searchedToMs: to === undefined ? undefined : Number(to),
    isSearching: query.isPending || goesOn || (items.length === 0 && isFetching),
  };
}

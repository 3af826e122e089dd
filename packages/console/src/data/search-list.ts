import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useSession } from '../session/context.tsx';
import { ask } from './ask.ts';
import type { ListOf } from './lists.ts';
import { type Name, readMatching } from './read-matching.ts';

/** Rows of one page. */
const PAGE = 50;
/** The service takes no longer text. */
const MAX_TEXT = 200;

/** The first items of a list that match a text. */
export function useFirstMatching<N extends Name, Item>(list: ListOf<N, Item>, text: string, limit: number, enabled = true) {
  const { reader } = useSession();
  return useQuery({
    queryKey: [list.name, 'matching', text, limit],
    queryFn: async ({ signal }) =>
      (await readMatching((input) => ask(reader, list.name, input, signal), list, text, limit)).items,
    enabled,
  });
}

/** A list in pages, newest first, searched by the service. An empty text matches everything. */
export function useMatchingPages<N extends Name, Item>(list: ListOf<N, Item>, text: string) {
  const { reader } = useSession();
  const wanted = text.trim().slice(0, MAX_TEXT);
  const query = useInfiniteQuery({
    queryKey: [list.name, 'matching pages', wanted],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      readMatching((input) => ask(reader, list.name, input, signal), list, wanted, PAGE, pageParam),
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const more = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage();
  }, [isFetchingNextPage, fetchNextPage]);
  return {
    /** For `QueryView`. */
    query: { data: query.data?.pages.flatMap(({ items }) => items), error: query.error, refetch: query.refetch },
    /** Loads the next page. Undefined at the end of the list. */
    more: hasNextPage ? more : undefined,
  };
}

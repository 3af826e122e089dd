import type { InputOf, OutputOf } from '@countersign/client';
import type { Queries } from '@countersign/contract';
import { keepPreviousData, type UseQueryResult, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useSession } from '../session/context.tsx';
import { ask } from './ask.ts';

export { ask } from './ask.ts';

type QueryName = keyof Queries;
type Input<Name extends QueryName> = InputOf<Queries[Name]>;
type Output<Name extends QueryName> = OutputOf<Queries[Name]>;

interface QueryOptions {
  readonly enabled?: boolean;
  /** Keep showing the previous data while the next data loads. */
  readonly keep?: boolean;
  /** Ask the service even if the cache has an answer. `isFetchedAfterMount` says when that came. */
  readonly fresh?: boolean;
}

/** A query of the service, stamped by the session. */
export function useServiceQuery<Name extends QueryName>(
  name: Name,
  input: Input<Name>,
  { enabled = true, keep = false, fresh = false }: QueryOptions = {},
): UseQueryResult<Output<Name>> {
  const { reader } = useSession();
  return useQuery({
    queryKey: [name, input],
    queryFn: ({ signal }) => ask(reader, name, input, signal),
    enabled,
    ...(keep && { placeholderData: keepPreviousData }),
    ...(fresh && { refetchOnMount: 'always' as const }),
  }) as UseQueryResult<Output<Name>>;
}

const PAGE = '50';

/** A paged list, newest first. */
export function usePages<Name extends QueryName, Item>(
  name: Name,
  input: Input<Name>,
  itemsOf: (page: Output<Name>) => readonly Item[],
  idOf: (item: Item) => string,
  limit = PAGE,
) {
  const { reader } = useSession();
  const query = useInfiniteQuery({
    queryKey: [name, 'pages', input, limit],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      ask(
        reader,
        name,
        { ...input, paginationOptions: { limit, ...(pageParam !== undefined && { after: pageParam }) } } as Input<Name>,
        signal,
      ),
    getNextPageParam: (page) => {
      const items = itemsOf(page as Output<Name>);
      const last = items.at(-1);
      return last === undefined || items.length < Number(limit) ? undefined : idOf(last);
    },
  });
  const items = (query.data?.pages ?? []).flatMap((page) => itemsOf(page as Output<Name>));
  return { ...query, items, hasMore: query.hasNextPage };
}

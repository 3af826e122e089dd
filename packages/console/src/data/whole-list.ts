import type { Queries } from '@countersign/contract';
import { skipToken, type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useSession } from '../session/context.tsx';
import { type ListOf, wholeList } from './lists.ts';

export { allContacts, allPolicies, allPrivateKeys, allUsers, allWallets, type ListOf, WHOLE } from './lists.ts';

type QueryName = keyof Queries;

/** A whole list, oldest first, to search and filter in the browser. The service returns a long one only in pages. */
export function useWholeList<Name extends QueryName, Item>(
  list: ListOf<Name, Item>,
  organizationId?: string,
): UseQueryResult<readonly Item[]> {
  const { reader } = useSession();
  return useQuery(wholeList(reader, useQueryClient(), list, organizationId));
}

/** Number of rows of a long list loaded so far. */
export function useLoaded({ name }: { readonly name: QueryName }): number {
  return useQuery<number>({ queryKey: [name, 'loaded'], queryFn: skipToken }).data ?? 0;
}

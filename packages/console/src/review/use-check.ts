import type { ListedActivity } from '@countersign/client';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useServiceQuery } from '../data/service-query.ts';
import { allContacts, useWholeList } from '../data/whole-list.ts';
import { useSession } from '../session/context.tsx';
import { checkActivity } from './check-activity.ts';
import type { Check, Knowledge } from './types.ts';

const numbers = new WeakMap<object, number>();
let given = 0;

/** A number for each answer: the same for the same object. An answer that has not changed stays the same object. */
function numberOf(answer: object | undefined): number {
  if (answer === undefined) return 0;
  const known = numbers.get(answer) ?? ++given;
  numbers.set(answer, known);
  return known;
}

/** What the organization calls things, once all of it is there. A list that the service refuses as too long names nothing. */
export function useKnowledge(): { readonly knowledge: Knowledge; readonly version: string } | undefined {
  const contacts = useWholeList(allContacts);
  const tokens = useServiceQuery('listTokens', {});
  const interfaces = useServiceQuery('listSmartContractInterfaces', {});
  const isSettled = [contacts, tokens, interfaces].every(({ data, error }) => data !== undefined || error !== null);
  return useMemo(() => {
    const knowledge = {
      contacts: contacts.data ?? [],
      tokens: tokens.data?.tokens ?? [],
      interfaces: interfaces.data?.smartContractInterfaces ?? [],
    };
    const version = [contacts.data, tokens.data, interfaces.data].map(numberOf).join();
    return isSettled ? { knowledge, version } : undefined;
  }, [contacts.data, tokens.data, interfaces.data, isSettled]);
}

/**
 * How far this browser can vouch for an activity. No data while it reads, or where the key that is to sign could not be asked for.
 * INVARIANT: the key of the cache has all of what is judged, so that no earlier verdict stands for an altered answer.
 */
export function useCheck(activity: ListedActivity | undefined): Pick<UseQueryResult<Check>, 'data' | 'error' | 'refetch'> {
  const { reader } = useSession();
  const known = useKnowledge();
  const { id, fingerprint, votes, type, organizationId, parsed } = activity ?? {};
  return useQuery<Check>({
    queryKey: ['check', id, fingerprint, votes?.[0]?.message, type, organizationId, parsed?.effects, known?.version],
    queryFn: () => checkActivity(reader, activity as ListedActivity, (known as NonNullable<typeof known>).knowledge),
    enabled: activity !== undefined && known !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    retry: 2,
  });
}

const signing = ['ACTIVITY_TYPE_SIGN_TRANSACTION', 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2'] as const;

/** The transactions that were signed last, to compare with. */
export function usePastSignatures(): readonly ListedActivity[] | undefined {
  const past = useServiceQuery('listActivities', {
    filterByType: [...signing],
    filterByStatus: ['ACTIVITY_STATUS_COMPLETED'],
    paginationOptions: { limit: '100' },
  });
  return past.data?.activities;
}

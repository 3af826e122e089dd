import type { ListedActivity } from '@countersign/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useAsk } from '../data/ask.ts';
import { useSession } from '../session/context.tsx';
import { type Check, checkActivity, type Knowledge } from './reading.ts';

/** What the organization calls things, once all of it is there. A list that the service refuses as too long names nothing. */
export function useKnowledge(): { readonly knowledge: Knowledge; readonly version: string } | undefined {
  const contacts = useAsk('listContacts', {});
  const tokens = useAsk('listTokens', {});
  const interfaces = useAsk('listSmartContractInterfaces', {});
  const queries = [contacts, tokens, interfaces];
  const version = queries.map(({ dataUpdatedAt }) => dataUpdatedAt).join();
  const isSettled = queries.every(({ data, error }) => data !== undefined || error !== null);
  return useMemo(() => {
    const knowledge = {
      contacts: contacts.data?.contacts ?? [],
      tokens: tokens.data?.tokens ?? [],
      interfaces: interfaces.data?.smartContractInterfaces ?? [],
    };
    return isSettled ? { knowledge, version } : undefined;
  }, [contacts.data, tokens.data, interfaces.data, isSettled, version]);
}

/**
 * How far this browser can vouch for an activity. Undefined while it reads.
 * INVARIANT: the key of the cache has all of what is judged, so that no earlier verdict stands for an altered answer.
 */
export function useCheck(activity: ListedActivity | undefined): Check | undefined {
  const { reader } = useSession();
  const known = useKnowledge();
  const { id, fingerprint, votes, type, organizationId, parsed } = activity ?? {};
  const { data } = useQuery({
    queryKey: ['check', id, fingerprint, votes?.[0]?.message, type, organizationId, parsed?.effects, known?.version],
    queryFn: () => checkActivity(reader, activity as ListedActivity, (known as NonNullable<typeof known>).knowledge),
    enabled: activity !== undefined && known !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data;
}

const signing = ['ACTIVITY_TYPE_SIGN_TRANSACTION', 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2'] as const;

/** The transactions that were signed last, to compare with. */
export function usePastSignatures(): readonly ListedActivity[] | undefined {
  const past = useAsk('listActivities', {
    filterByType: [...signing],
    filterByStatus: ['ACTIVITY_STATUS_COMPLETED'],
    paginationOptions: { limit: '100' },
  });
  return past.data?.activities;
}

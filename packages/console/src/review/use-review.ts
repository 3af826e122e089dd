import type { ListedActivity } from '@countersign/client';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { isForbidden } from '../data/errors.ts';
import { usePendingApprovals } from '../data/pending-approvals.ts';
import { useServiceQuery } from '../data/service-query.ts';
import { useSession } from '../session/context.tsx';
import { type Finding, type Risk, riskOf } from './finding.ts';
import { decisivePast, provePast } from './past.ts';
import type { Check } from './types.ts';
import { unusual } from './unusual.ts';
import { proverOf, useCheckWith } from './use-check.ts';
import { type ListNames, namesError, useNames } from './use-names.ts';

/** Result of all checks of a request. */
export interface Review {
  readonly check: Check;
  readonly findings: readonly Finding[];
  readonly risk: Risk;
  /** Number of signed transactions that it was compared with. */
  readonly compared: number;
}

const signing = [
  'ACTIVITY_TYPE_SIGN_TRANSACTION',
  'ACTIVITY_TYPE_SIGN_TRANSACTION_V2',
  'ACTIVITY_TYPE_ETH_SEND_TRANSACTION',
  'ACTIVITY_TYPE_ETH_SEND_TRANSACTION_V2',
  'ACTIVITY_TYPE_SOL_SEND_TRANSACTION',
  'ACTIVITY_TYPE_SOL_SEND_TRANSACTION_V2',
  'ACTIVITY_TYPE_TRON_SEND_TRANSACTION',
  'ACTIVITY_TYPE_BITCOIN_SEND_TRANSACTION',
] as const;

/** Recently signed transactions, for comparison. None after an error, undefined while they load. */
export function usePastSignatures() {
  const query = useServiceQuery('listActivities', {
    filterByType: [...signing],
    filterByStatus: ['ACTIVITY_STATUS_COMPLETED'],
    paginationOptions: { limit: '100' },
  });
  const listed = readable(query);
  const activities = (listed ?? (query.error ? nothing : undefined))?.activities;
  return { error: query.error, activities, isLoaded: listed !== undefined };
}

interface Listed {
  readonly activities: readonly ListedActivity[];
}

const nothing: Listed = { activities: [] };

/** A list that a person may not read is empty: a frozen member of the root quorum must still be able to vote. */
function readable({ data, error }: Pick<UseQueryResult<Listed>, 'data' | 'error'>): Listed | undefined {
  return data ?? (isForbidden(error) ? nothing : undefined);
}

const unlessForbidden = (error: Error | null): Error | null => (isForbidden(error) ? null : error);

/**
 * The check of a request and all its findings. `list` has the names for the rows of a list. No data while one of the checks is running or
 * after one failed.
 * SECURITY: D808: without data there is no button to approve. A check that is still running may be the one that warns.
 */
export function useReview(
  activity: ListedActivity | undefined,
  list?: ListNames,
): {
  readonly check: ReturnType<typeof useCheckWith>;
  readonly names: ReturnType<typeof useNames>['query'];
  readonly review: Pick<UseQueryResult<Review>, 'data' | 'error'>;
} {
  const { reader } = useSession();
  const past = usePastSignatures();
  const pending = usePendingApprovals();
  const others = past.activities?.filter(({ id }) => id !== activity?.id);
  const { query: names, names: known } = useNames(activity, others, list);
  const check = useCheckWith(activity, known);
  const found = check.data;
  const open = readable(pending.query)?.activities;
  // SECURITY: D1073: names are looked up without a history that failed to load, but nothing can be approved: it may hold the same payment.
  const hasPast = past.isLoaded;
  const proven = useQuery({
    queryKey: ['past', activity?.id, found, found?.state === 'read' && others && decisivePast(found.reading.effects, others)],
    queryFn: async () => provePast(found as Check, others ?? [], await proverOf(reader)),
    enabled: found !== undefined && others !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    retry: 2,
  });
  const error =
    check.error ?? namesError(names) ?? unlessForbidden(past.error) ?? unlessForbidden(pending.query.error) ?? proven.error;
  // SECURITY: D808: names that could not be loaded may be those of a look-alike.
  const hasNames = names.data !== undefined || isForbidden(names.error);
  const isReady = activity && hasNames && found && known && hasPast && others && open && proven.data;
  if (!isReady) return { check, names, review: { data: undefined, error } };
  const findings = unusual(found, { activity, knowledge: known.knowledge, past: others, open, proven: proven.data });
  return {
    check,
    names,
    review: { data: { check: found, findings, risk: riskOf(findings), compared: others.length }, error: null },
  };
}

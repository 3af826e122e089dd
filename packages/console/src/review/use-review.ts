import type { ListedActivity } from '@countersign/client';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { isForbidden } from '../data/errors.ts';
import { usePendingApprovals } from '../data/pending-approvals.ts';
import { useServiceQuery } from '../data/service-query.ts';
import { useSession } from '../session/context.tsx';
import { type Earlier, noneEarlier, paymentsTo, reachesBeyond, searchEarlier } from './earlier-payments.ts';
import { type Finding, type Risk, riskOf } from './finding.ts';
import { decisivePast, provePast } from './past.ts';
import { PAST, signing } from './signing.ts';
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

/** Whether an approval needs a second, deliberate step. */
export const needsStep = ({ findings }: Review): boolean => findings.some(({ isDeliberate }) => isDeliberate);

/** Recently signed transactions, for comparison. None after an error, undefined while they load. */
export function usePastSignatures() {
  const query = useServiceQuery('listActivities', {
    filterByType: [...signing],
    filterByStatus: ['ACTIVITY_STATUS_COMPLETED'],
    paginationOptions: { limit: String(PAST) },
  });
  const listed = readable(query);
  const activities = (listed ?? (query.error ? nothing : undefined))?.activities;
  return { error: query.error, activities, isLoaded: listed !== undefined };
}

interface Listed {
  readonly activities: readonly ListedActivity[];
  /** Whether there are more than the listed ones. */
  readonly hasMore?: boolean;
}

const nothing: Listed = { activities: [] };

/** A list that a person may not read is empty: a frozen member of the root quorum must still be able to vote. */
function readable<L extends Listed>({ data, error }: Pick<UseQueryResult<L>, 'data' | 'error'>): L | Listed | undefined {
  return data ?? (isForbidden(error) ? nothing : undefined);
}

const unlessForbidden = (error: Error | null): Error | null => (isForbidden(error) ? null : error);

/**
 * The check of a request and all its findings. `list` has the names for the rows of a list, which are compared with the newest payments
 * alone. No data while one of the checks is running or after one failed.
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
  const open = readable(pending.query);
  // SECURITY: D1073: names are looked up without a history that failed to load, but nothing can be approved: it may hold the same payment.
  const hasPast = past.isLoaded;
  const proven = useQuery({
    queryKey: ['past', activity?.id, found, found?.state === 'read' && others && decisivePast(found.reading.effects, others)],
    queryFn: async () => provePast(found as Check, others ?? [], await proverOf(reader)),
    enabled: found !== undefined && others !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    retry: 2,
  });
  const { data: earlier, error: earlierError } = useEarlier(list === undefined ? activity : undefined, found, others);
  const error =
    check.error ??
    namesError(names) ??
    unlessForbidden(past.error) ??
    unlessForbidden(pending.query.error) ??
    proven.error ??
    earlierError;
  // SECURITY: D808: names that could not be loaded may be those of a look-alike.
  const hasNames = names.data !== undefined || isForbidden(names.error);
  const isReady = activity && hasNames && found && known && hasPast && others && open && proven.data && earlier;
  if (!isReady) return { check, names, review: { data: undefined, error } };
  const findings = unusual(found, {
    ...{ activity, knowledge: known.knowledge, past: others, proven: proven.data },
    ...{ open: open.activities, hasMoreOpen: open.hasMore, earlier },
  });
  return {
    check,
    names,
    review: { data: { check: found, findings, risk: riskOf(findings), compared: others.length }, error: null },
  };
}

/** Payments that are not among the newest. Asks the service only if there may be some. Without an activity there are none. */
function useEarlier(
  activity: ListedActivity | undefined,
  found: Check | undefined,
  past: readonly ListedActivity[] | undefined,
): Pick<UseQueryResult<Earlier>, 'data' | 'error'> {
  const { reader } = useSession();
  const effects = found?.state === 'read' ? found.reading.effects : [];
  const isNeeded =
    activity !== undefined && past !== undefined && reachesBeyond(past, activity) && paymentsTo(effects).length > 0;
  const query = useQuery({
    queryKey: ['searchActivities', 'earlier', activity?.id, paymentsTo(effects)],
    queryFn: ({ signal }) => searchEarlier(reader, effects, activity as ListedActivity, signal),
    enabled: isNeeded,
  });
  return isNeeded ? query : { data: noneEarlier, error: null };
}

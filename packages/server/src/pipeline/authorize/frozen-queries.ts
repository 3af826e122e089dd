import { activities } from '@countersign/contract';
import { isFreezeActivity, isFrozenUser } from '@countersign/judgement';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { requireUnfrozen } from '../execute/denial.ts';

/** The types of freeze and unfreeze. */
const freezeTypes: readonly string[] = Object.values(activities)
  .filter(isFreezeActivity)
  .map(({ type }) => type);

/** Queries that a member of the root quorum needs to find an unfreeze and vote on it. */
const votingQueries: readonly string[] = ['listActivities', 'getActivity', 'getMfaStatus', 'listFreezes'];

/**
 * The types of activities that a user may read with a query. Undefined for all. Throws FROZEN if the query is not for this user.
 * SECURITY: D301: the credentials of a frozen user may be stolen. They read nothing but whoami, and what a member of the root quorum needs
 * to vote on an unfreeze.
 */
export function readableTypes(home: Snapshot, userId: string, query: string): readonly string[] | undefined {
  if (!isFrozenUser(home, userId) || query === 'whoami') return undefined;
  const mayVote = home.profile.rootQuorum.userIds.includes(userId) && votingQueries.includes(query);
  if (!mayVote) requireUnfrozen(home, userId);
  return freezeTypes;
}

/** The input of a query, limited to activities of these types. */
export function limitedTo(types: readonly string[] | undefined, query: string, input: unknown): unknown {
  if (types === undefined || query !== 'listActivities') return input;
  const { filterByType = types } = input as { readonly filterByType?: readonly string[] };
  const wanted = filterByType.filter((type) => types.includes(type));
  return { ...(input as object), filterByType: wanted.length === 0 ? types : wanted };
}

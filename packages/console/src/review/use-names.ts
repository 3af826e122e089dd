import type { InputOf, ListedActivity, OutputOf } from '@countersign/client';
import type { Queries } from '@countersign/contract';
import type { UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import { isForbidden } from '../data/errors.ts';
import { useInterfaces } from '../data/interfaces.ts';
import { useServiceQuery } from '../data/service-query.ts';
import { numberOf } from './object-number.ts';
import { decisivePast } from './past.ts';
import type { Knowledge, StatedKeys } from './types.ts';

type Answer = OutputOf<Queries['getActivityNames']>;

/** What the service states about the names in a request. */
export interface Names {
  readonly knowledge: Knowledge;
  readonly keys: StatedKeys;
  /** The evidence for the names. Nothing of it is believed before it is verified. */
  readonly proofs: Answer['proofs'];
  /** Changes with the names, but not with the checkpoint that proves them. */
  readonly version: string;
}

const none: Answer = {
  ...{ contacts: [], similarContacts: [], tokens: [], wallets: [], accounts: [], privateKeys: [] },
  ...{ policies: [], approvers: [], proofs: [], namedActivityIds: [] },
};

interface Loaded {
  readonly query: UseQueryResult<Answer>;
  /** Undefined while they load. */
  readonly names: Names | undefined;
}

/**
 * The names for the addresses and assets of a request, for its signing key and for those who decide: one call, however many contacts and
 * users there are. Waits for `past`, whose decisive payments are proven with it. A list that the person may not read is empty. A row of a
 * list makes no call if `list` has its names.
 */
export function useNames(
  activity: ListedActivity | undefined,
  past: readonly ListedActivity[] | undefined,
  list?: ListNames,
): Loaded {
  const ofList = activity && list?.of(activity.id);
  const query = useServiceQuery('getActivityNames', inputFor(activity === undefined ? [] : [activity], past ?? []), {
    enabled: activity !== undefined && ofList === undefined && past !== undefined,
  });
  const names = useSettledNames(query);
  return ofList ?? { query, names };
}

/** The names for the rows of a list. */
export interface ListNames {
  /** Undefined if the response does not include all names of a row, which then asks for them alone. */
  of(activityId: string): Loaded | undefined;
}

/**
 * The names for all activities of a list: one call.
 * SECURITY: D1054: a row uses the response only if that includes all its names. Without those of look-alikes, it would show no warning.
 */
export function useListNames(activities: readonly ListedActivity[], past: readonly ListedActivity[] | undefined): ListNames {
  const input = useMemo(() => inputFor(activities, past ?? []), [activities, past]);
  const query = useServiceQuery('getActivityNames', input, { enabled: activities.length > 0 && past !== undefined, keep: true });
  const names = useSettledNames(query);
  return {
    of(id) {
      if (query.data === undefined || query.data.namedActivityIds.includes(id)) return { query, names };
      // The previous response is shown until the one for the current rows arrives.
      return query.isPlaceholderData ? { query, names: undefined } : undefined;
    },
  };
}

/** Activities of one call, and earlier ones that it proves. */
const MOST = 100;

/** INVARIANT: the same for the same activities in any order, so that the response is found in the cache. */
function inputFor(activities: readonly ListedActivity[], past: readonly ListedActivity[]): InputOf<Queries['getActivityNames']> {
  const sorted = activities.toSorted((a, b) => (a.id < b.id ? -1 : 1)).slice(0, MOST);
  const compared = sorted.flatMap((each) =>
    decisivePast(
      each.parsed?.effects ?? [],
      past.filter(({ id }) => id !== each.id),
    ),
  );
  const compareWith = [...new Set(compared.map(({ id }) => id))].slice(0, MOST);
  const [activityId = '', ...moreActivityIds] = sorted.map(({ id }) => id);
  return {
    activityId,
    ...(moreActivityIds.length > 0 && { moreActivityIds }),
    ...(compareWith.length > 0 && { compareWith }),
  };
}

/**
 * SECURITY: D387: what failed once stays settled while it is fetched again. Otherwise each attempt would hide the request that is being
 * reviewed, mount it again, and start the next attempt, without end.
 */
function useSettledNames(query: UseQueryResult<Answer>): Names | undefined {
  const interfaces = useInterfaces();
  const isSettled = [query, interfaces].every(({ data, errorUpdateCount }) => data !== undefined || errorUpdateCount > 0);
  const answer = query.data ?? none;
  const names = useMemo(() => namesOf(answer, interfaces.data ?? []), [answer, interfaces.data]);
  return isSettled ? names : undefined;
}

function namesOf(answer: Answer, interfaces: Knowledge['interfaces']): Names {
  const { contacts, similarContacts, tokens, wallets, accounts, privateKeys, proofs } = answer;
  const others = similarContacts.filter(({ contactId }) => !contacts.some((each) => each.contactId === contactId));
  return {
    knowledge: { contacts: [...contacts, ...others], tokens, interfaces },
    keys: { wallets, accounts, privateKeys },
    proofs,
    version: [
      ...[contacts, similarContacts, tokens, wallets, accounts, privateKeys, interfaces].map(numberOf),
      // The evidence for the people who voted since changes no other list.
      ...proofs.map(({ activity }) => activity.id),
    ].join(),
  };
}

/** An error that may have hidden a warning. A denied query is not one: a frozen member of the root quorum must be able to vote. */
export const namesError = ({ error }: Pick<UseQueryResult, 'error'>): Error | null => (isForbidden(error) ? null : error);

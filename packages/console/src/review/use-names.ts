import type { ListedActivity, OutputOf } from '@countersign/client';
import type { Queries } from '@countersign/contract';
import type { UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import { isForbidden } from '../data/errors.ts';
import { useInterfaces } from '../data/interfaces.ts';
import { useServiceQuery } from '../data/service-query.ts';
import { numberOf } from './object-number.ts';
import { decisivePast } from './past.ts';
import type { Knowledge, SigningKeys } from './types.ts';

type Answer = OutputOf<Queries['getActivityNames']>;

/** What the service states about the names in a request. */
export interface Names {
  readonly knowledge: Knowledge;
  readonly keys: SigningKeys;
  /** The evidence for the names. Nothing of it is believed before it is verified. */
  readonly proofs: Answer['proofs'];
  /** Changes with the names, but not with the checkpoint that proves them. */
  readonly version: string;
}

const none: Answer = {
  ...{ contacts: [], similarContacts: [], tokens: [], accounts: [], privateKeys: [] },
  ...{ policies: [], approvers: [], proofs: [] },
};

/**
 * The names for the addresses and assets of a request, for its signing key and for those who decide: one call, however many contacts and
 * users there are. Waits for `past`, whose decisive payments are proven with it. A list that the person may not read is empty.
 * SECURITY: D387: what failed once stays settled while it is fetched again. Otherwise each attempt would hide the request that is being
 * reviewed, mount it again, and start the next attempt, without end.
 */
export function useNames(
  activity: ListedActivity | undefined,
  past: readonly ListedActivity[] | undefined,
): { readonly query: UseQueryResult<Answer>; readonly names: Names | undefined } {
  const compareWith = decisivePast(activity?.parsed?.effects ?? [], past ?? []).map(({ id }) => id);
  const query = useServiceQuery(
    'getActivityNames',
    { activityId: activity?.id ?? '', ...(compareWith.length > 0 && { compareWith }) },
    { enabled: activity !== undefined && past !== undefined },
  );
  const interfaces = useInterfaces();
  const isSettled = [query, interfaces].every(({ data, errorUpdateCount }) => data !== undefined || errorUpdateCount > 0);
  const answer = query.data ?? none;
  const names = useMemo(() => namesOf(answer, interfaces.data ?? []), [answer, interfaces.data]);
  return { query, names: isSettled ? names : undefined };
}

function namesOf(answer: Answer, interfaces: Knowledge['interfaces']): Names {
  const { contacts, similarContacts, tokens, accounts, privateKeys, proofs } = answer;
  const others = similarContacts.filter(({ contactId }) => !contacts.some((each) => each.contactId === contactId));
  return {
    knowledge: { contacts: [...contacts, ...others], tokens, interfaces },
    keys: { accounts, privateKeys },
    proofs,
    version: [contacts, similarContacts, tokens, accounts, privateKeys, interfaces].map(numberOf).join(),
  };
}

/** An error that may have hidden a warning. A denied query is not one: a frozen member of the root quorum must be able to vote. */
export const namesError = ({ error }: Pick<UseQueryResult, 'error'>): Error | null => (isForbidden(error) ? null : error);

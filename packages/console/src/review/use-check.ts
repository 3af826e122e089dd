import type { Client, ListedActivity } from '@countersign/client';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useInterfaces } from '../data/interfaces.ts';
import { useServiceQuery } from '../data/service-query.ts';
import { allContacts, useWholeList } from '../data/whole-list.ts';
import { apiBase } from '../session/api.ts';
import { useSession } from '../session/context.tsx';
import { checkActivity } from './check-activity.ts';
import { numberOf } from './object-number.ts';
import type { Person } from './person.ts';
import { MOST_PEOPLE } from './person-name.ts';
import type { Prover } from './proof/prove-record.ts';
import type { Check, Knowledge } from './types.ts';
import { type ListNames, type Names, useNames } from './use-names.ts';

/**
 * Names known to the organization, once loaded. A list that is too long for the service, or that the person may not read, is ignored.
 * SECURITY: D387: a list that failed once stays settled while it is fetched again. Otherwise each attempt would hide the request that is being
 * reviewed, mount it again, and start the next attempt, without end.
 */
export function useKnowledge(): Known | undefined {
  const contacts = useWholeList(allContacts);
  const others = useTokensAndInterfaces();
  const isSettled = contacts.data !== undefined || contacts.errorUpdateCount > 0;
  return useMemo(() => {
    if (others === undefined || !isSettled) return undefined;
    const version = `${numberOf(contacts.data)},${others.version}`;
    return { knowledge: { ...others.knowledge, contacts: contacts.data ?? [] }, version };
  }, [contacts.data, others, isSettled]);
}

interface Known {
  readonly knowledge: Knowledge;
  readonly version: string;
}

/** The same without contacts, of which an organization may have thousands. `contacts-at.ts` finds those of a request. */
export function useTokensAndInterfaces(): Known | undefined {
  const tokens = useServiceQuery('listTokens', {});
  const interfaces = useInterfaces();
  const isSettled = [tokens, interfaces].every(({ data, errorUpdateCount }) => data !== undefined || errorUpdateCount > 0);
  return useMemo(() => {
    const knowledge = {
      contacts: [],
      tokens: tokens.data?.tokens ?? [],
      interfaces: interfaces.data ?? [],
    };
    const version = [tokens.data, interfaces.data].map(numberOf).join();
    return isSettled ? { knowledge, version } : undefined;
  }, [tokens.data, interfaces.data, isSettled]);
}

const nothing: readonly ListedActivity[] = [];

/** Verification result of an activity in a list that is not compared with others. */
export function useCheck(activity: ListedActivity, list: ListNames): ReturnType<typeof useCheckWith> {
  return useCheckWith(activity, useNames(activity, nothing, list).names);
}

/**
 * Verification result of an activity. No data while it is computed, or if the signing key could not be loaded.
 * INVARIANT: the cache key contains all inputs, so that a cached result never applies to an altered response.
 */
export function useCheckWith(
  activity: ListedActivity | undefined,
  names: Names | undefined,
): Pick<UseQueryResult<Check>, 'data' | 'error' | 'refetch'> {
  const { reader } = useSession();
  const { id, fingerprint, votes, type, organizationId, parsed, reference } = activity ?? {};
  return useQuery<Check>({
    queryKey: ['check', id, fingerprint, votes?.map(stampOf), type, organizationId, parsed?.effects, reference, names?.version],
    async queryFn() {
      const { knowledge, keys, proofs } = names as Names;
      const prover = await proverOf(reader);
      prover.add(proofs);
      const check = await checkActivity(reader, activity as ListedActivity, knowledge, prover, keys);
      return { ...check, people: await votersOf(activity as ListedActivity, prover) };
    },
    enabled: activity !== undefined && names !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    retry: 2,
  });
}

/** What the check of a vote depends on. */
const stampOf = ({ message, selection, userId, user, publicKey, signature }: ListedActivity['votes'][number], at: number) => [
  ...[userId, user.userName, publicKey, signature, selection],
  ...(at < MOST_PEOPLE ? [message] : []),
];

/** Who stamped the votes. A message that contains a secret is hidden, so that nothing is known about it. */
async function votersOf(activity: ListedActivity, prover: Pick<Prover, 'person'>): Promise<readonly Person[]> {
  const { isVoteOn } = await import('./proof/is-vote-on.ts');
  return Promise.all(
    activity.votes.slice(0, MOST_PEOPLE).map(async (vote) => {
      const person = await prover.person(vote);
      return vote.message === '' || isVoteOn(activity, vote) ? person : { ...person, state: 'altered' };
    }),
  );
}

const provers = new WeakMap<Client, Promise<Prover>>();

/** The prover of a session. It verifies each activity once. The code for proofs loads when it is first needed. */
export function proverOf(reader: Client): Promise<Prover> {
  const known = provers.get(reader) ?? openProver(reader);
  provers.set(reader, known);
  known.catch(() => provers.delete(reader));
  return known;
}

async function openProver(reader: Client): Promise<Prover> {
  const [{ createProver }, { loadLogKey }] = await Promise.all([
    import('./proof/prove-record.ts'),
    import('./proof/log-proof.ts'),
  ]);
  let key: ReturnType<typeof loadLogKey> | undefined;
  return createProver(reader, () => {
    key ??= loadLogKey(apiBase());
    key.catch(() => {
      key = undefined;
    });
    return key;
  });
}

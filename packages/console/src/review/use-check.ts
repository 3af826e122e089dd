import type { Client, ListedActivity } from '@countersign/client';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useInterfaces } from '../data/interfaces.ts';
import { useServiceQuery } from '../data/service-query.ts';
import { allContacts, useWholeList } from '../data/whole-list.ts';
import { apiBase } from '../session/api.ts';
import { useSession } from '../session/context.tsx';
import { checkActivity } from './check-activity.ts';
import type { Prover } from './proof/prove-record.ts';
import type { Check, Knowledge } from './types.ts';

const numbers = new WeakMap<object, number>();
let given = 0;

/** A stable number per response object. An unchanged response stays the same object. */
function numberOf(answer: object | undefined): number {
  if (answer === undefined) return 0;
  const known = numbers.get(answer) ?? ++given;
  numbers.set(answer, known);
  return known;
}

/**
 * Names known to the organization, once loaded. A list that is too long for the service, or that the person may not read, is ignored.
 * SECURITY: D387: a list that failed once stays settled while it is fetched again. Otherwise each attempt would hide the request that is being
 * reviewed, mount it again, and start the next attempt, without end.
 */
export function useKnowledge(): { readonly knowledge: Knowledge; readonly version: string } | undefined {
  const contacts = useWholeList(allContacts);
  const tokens = useServiceQuery('listTokens', {});
  const interfaces = useInterfaces();
  const isSettled = [contacts, tokens, interfaces].every(
    ({ data, errorUpdateCount }) => data !== undefined || errorUpdateCount > 0,
  );
  return useMemo(() => {
    const knowledge = {
      contacts: contacts.data ?? [],
      tokens: tokens.data?.tokens ?? [],
      interfaces: interfaces.data ?? [],
    };
    const version = [contacts.data, tokens.data, interfaces.data].map(numberOf).join();
    return isSettled ? { knowledge, version } : undefined;
  }, [contacts.data, tokens.data, interfaces.data, isSettled]);
}

/**
 * Verification result of an activity. No data while it is computed, or if the signing key could not be loaded.
 * INVARIANT: the cache key contains all inputs, so that a cached result never applies to an altered response.
 */
export function useCheck(activity: ListedActivity | undefined): Pick<UseQueryResult<Check>, 'data' | 'error' | 'refetch'> {
  const { reader } = useSession();
  const known = useKnowledge();
  const { id, fingerprint, votes, type, organizationId, parsed, reference } = activity ?? {};
  return useQuery<Check>({
    queryKey: ['check', id, fingerprint, votes?.[0]?.message, type, organizationId, parsed?.effects, reference, known?.version],
    queryFn: async () =>
      checkActivity(reader, activity as ListedActivity, (known as NonNullable<typeof known>).knowledge, await proverOf(reader)),
    enabled: activity !== undefined && known !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    retry: 2,
  });
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

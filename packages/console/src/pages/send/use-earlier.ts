import type { ListedActivity, StampedRequest } from '@countersign/client';
import type { EffectShape } from '@countersign/contract';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../data/service-query.ts';
import { useSession } from '../../session/context.tsx';
import type { Outcome } from '../sign/simulation.tsx';
import { searchEarlier } from './earlier.ts';
import { inParallel } from './in-parallel.ts';

/** What identifies a payment among others. */
export const keyOfTransfer = ({ to, asset, amount }: EffectShape): string => `${asset?.id} ${to} ${amount}`;

/**
 * Earlier requests for the same payments, by the keys of these. Equal payments are searched once. `runs` counts what the page itself has
 * submitted: a search from before a submission does not count after it.
 */
export function useEarlier(
  transfers: readonly EffectShape[],
  { enabled = true, runs }: { readonly enabled?: boolean; readonly runs: number },
) {
  const { reader } = useSession();
  const distinct = new Map(transfers.map((transfer) => [keyOfTransfer(transfer), transfer]));
  return useQuery({
    queryKey: ['earlierPayments', runs, ...distinct.keys()],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, readonly ListedActivity[]>> => {
      const found = await inParallel([...distinct.values()], (transfer) => searchEarlier(reader, transfer, signal));
      return new Map([...distinct.keys()].map((key, index) => [key, found[index] ?? []]));
    },
    enabled: enabled && distinct.size > 0,
    // The page searches anew when it is opened again.
    gcTime: 0,
  });
}

/** Expected decisions of some requests, in their order. Each is judged alone. */
export function useOutcomes(requests: readonly StampedRequest[], enabled: boolean) {
  const { reader } = useSession();
  const asked = requests.map(({ type, parameters }) => ({ type, parameters: { ...parameters } }));
  return useQuery({
    queryKey: ['expectedDecisions', asked],
    queryFn: ({ signal }): Promise<readonly Outcome[]> =>
      inParallel(asked, async (each) => (await ask(reader, 'simulateActivity', each, signal)).decision.outcome),
    enabled: enabled && asked.length > 0,
  });
}

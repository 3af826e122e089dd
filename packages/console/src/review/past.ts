import { type ListedActivity, stampedRequest } from '@countersign/client';
import type { EffectShape } from '@countersign/contract';
import { isForbidden } from '../data/errors.ts';
import type { Prover } from './proof/prove-record.ts';
import type { Check } from './types.ts';

/** Earlier payments that this browser decoded and that the log proves. */
export interface ProvenPast {
  readonly payments: readonly EffectShape[];
  /** Whether the service shows a payment that its log does not prove. */
  readonly isAltered: boolean;
}

export const transfersOf = (effects: readonly EffectShape[] = []) => effects.filter(({ kind }) => kind === 'TRANSFER');

const amountOf = ({ amount }: EffectShape) => (amount === undefined ? 0n : BigInt(amount));

/** The activities that a comparison depends on: the newest payment to the same receiver, and the largest one in the same asset. */
export function decisivePast(effects: readonly EffectShape[], past: readonly ListedActivity[]): readonly ListedActivity[] {
  const found = new Set<ListedActivity>();
  for (const { to, asset } of transfersOf(effects)) {
    const earlier = past.find(({ parsed }) => transfersOf(parsed?.effects).some((each) => each.to === to));
    if (earlier !== undefined) found.add(earlier);
    let most = -1n;
    let largest: ListedActivity | undefined;
    for (const activity of past)
      for (const each of transfersOf(activity.parsed?.effects)) {
        if (each.asset?.id !== asset?.id || amountOf(each) <= most) continue;
        most = amountOf(each);
        largest = activity;
      }
    if (largest !== undefined) found.add(largest);
  }
  return [...found].slice(0, MOST_PROOFS);
}

const MOST_PROOFS = 6;

/**
 * Proves the earlier payments that a request is compared with.
 * SECURITY: D802: a response that adds a payment to a stranger, or a large one, would make a first payment or an unusual amount look usual.
 * The payments are decoded from their stamped bytes.
 */
export async function provePast(
  check: Check,
  past: readonly ListedActivity[],
  prover: Pick<Prover, 'execution'>,
): Promise<ProvenPast> {
  if (check.state !== 'read') return { payments: [], isAltered: false };
  const [{ isUnreadable, readSigning }, { signedRequest }] = await Promise.all([
    import('./read-request.ts'),
    import('./sent-request.ts'),
  ]);
  const nameless = { contacts: [], tokens: [], interfaces: [] };
  const proven = await Promise.all(
    decisivePast(check.reading.effects, past).map(async (activity) => {
      const request = stampedRequest(activity);
      try {
        if (request === undefined || (await prover.execution(activity)) === undefined) return undefined;
        const signed = signedRequest(request, activity);
        return signed === undefined ? [] : transfersOf(readSigning(signed, check.signer, nameless)?.effects);
      } catch (error) {
        // A transaction of another chain, which the key of this request cannot sign; or the person may not read the log.
        if (isUnreadable(error) || isForbidden(error)) return [];
        throw error;
      }
    }),
  );
  return { payments: proven.flatMap((each) => each ?? []), isAltered: proven.includes(undefined) };
}

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

/** Rent of the largest token account of Solana, 572 bytes, in lamports. A payment may pay it for the account of its receiver. */
const MOST_RENT = 4_872_000n;
const SOL = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/slip44:501';

/**
 * Everything that pays: transfers, and new accounts and contracts that get more than rent.
 * SECURITY: D1100: who controls a new account can take all that it gets.
 */
export const transfersOf = (effects: readonly EffectShape[] = []) =>
  effects.filter((effect) => effect.kind === 'TRANSFER' || isFunding(effect));

function isFunding({ kind, asset, amount = '0' }: EffectShape): boolean {
  if (kind !== 'CREATE' || asset === undefined) return false;
  return BigInt(amount) > (asset.id === SOL ? MOST_RENT : 0n);
}

/** An earlier payment that does not state its amount makes no other one usual. */
export const pastAmount = ({ amount }: EffectShape): bigint => (amount === undefined ? 0n : BigInt(amount));

/**
 * The activities that a comparison depends on: the payment to the same receiver that is most like this one, and the largest one in the same
 * asset.
 */
export function decisivePast(effects: readonly EffectShape[], past: readonly ListedActivity[]): readonly ListedActivity[] {
  const found = new Set<ListedActivity>();
  for (const payment of transfersOf(effects)) {
    const earlier = best(past, (each) => likeness(each, payment));
    const largest = best(past, (each) => (each.asset?.id === payment.asset?.id ? pastAmount(each) : undefined));
    for (const activity of [earlier, largest]) if (activity !== undefined) found.add(activity);
  }
  return [...found].slice(0, MOST_PROOFS);
}

/** The newest activity with the payment of the highest rank. */
function best(past: readonly ListedActivity[], rank: (payment: EffectShape) => bigint | undefined): ListedActivity | undefined {
  let most = -2n;
  let found: ListedActivity | undefined;
  for (const activity of past)
    for (const each of transfersOf(activity.parsed?.effects)) {
      const own = rank(each) ?? -2n;
      if (own <= most) continue;
      most = own;
      found = activity;
    }
  return found;
}

/** More than every amount. */
const ABOVE_ALL = 2n ** 256n;

/** How much an earlier payment to the same receiver says about another one. */
function likeness(earlier: EffectShape, { to, asset, amount }: EffectShape): bigint | undefined {
  if (earlier.to !== to) return undefined;
  if (earlier.asset?.id !== asset?.id) return -1n;
  return amount === undefined && earlier.amount === undefined ? ABOVE_ALL : pastAmount(earlier);
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

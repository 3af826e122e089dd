import type { ListedActivity } from '@countersign/client';
import type { EffectShape } from '@countersign/contract';
import { ago, toMs } from '../data/time.ts';
import { words } from '../words/index.ts';
import { type Earlier, PERIOD_MS } from './earlier-payments.ts';
import { type Finding, grave, notable } from './finding.ts';
import { transfersOf } from './past.ts';
import type { Person } from './person.ts';
import { voterName } from './person-name.ts';
import { quantity } from './quantity.ts';

const texts = words.approvals.unusualWords;

interface Given {
  readonly activity: ListedActivity;
  readonly past: readonly ListedActivity[];
  readonly open: readonly ListedActivity[];
  readonly hasMoreOpen?: boolean | undefined;
  readonly earlier?: Earlier;
}

/**
 * Other payments of the same amount of the same asset to the same receiver: open, signed, or in the same transaction.
 * SECURITY: D805: an invoice that is requested twice is paid twice, because each request alone is usual.
 */
export function duplicatesOf(
  effects: readonly EffectShape[],
  { activity, past, open, hasMoreOpen, earlier }: Given,
  people: readonly Person[],
): readonly Finding[] {
  const atMs = toMs(activity.createdAt);
  const others = [...open, ...past, ...(earlier?.activities ?? [])].filter(
    ({ id, createdAt }) => id !== activity.id && Math.abs(toMs(createdAt) - atMs) <= PERIOD_MS,
  );
  const payments = transfersOf(effects);
  // SECURITY: D1123: a comparison with a part of the payments says that it is one.
  const isPartial = payments.length > 0 && (hasMoreOpen === true || earlier?.isComplete === false);
  const found = payments.flatMap((payment) => {
    const repeated = payments.filter((each) => isSame(each, payment)).length > 1;
    const twice = repeated ? [grave(texts.repeated(quantity(payment), payment.to ?? ''))] : [];
    const same = others.find(({ parsed }) => transfersOf(parsed?.effects).some((each) => isSame(each, payment)));
    if (same === undefined) return twice;
    const who = voterName(people, same.votes[0]);
    const isOpen = same.status === 'ACTIVITY_STATUS_CONSENSUS_NEEDED';
    return [
      ...twice,
      grave(texts.duplicate(quantity(payment), payment.to ?? '', who, ago(same.createdAt), isOpen), { activityId: same.id }),
    ];
  });
  return isPartial ? [...found, notable(texts.partlyCompared)] : found;
}

const isSame = (a: EffectShape, b: EffectShape) => a.to === b.to && a.amount === b.amount && a.asset?.id === b.asset?.id;

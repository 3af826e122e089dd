import { type EffectShape, referenceWords } from '@countersign/contract';
import { compareAmounts, plainAmount } from './amount.ts';
import {
  counterpartiesOf,
  effectsOf,
  type KeyReader,
  namedKeys,
  plainAddress,
  plainAsset,
  type Searched,
  term,
  wordsOf,
} from './terms.ts';

/** What a search looks for. Absent fields match everything. */
export interface SearchFilter {
  readonly userId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly counterparty?: string | undefined;
  readonly asset?: string | undefined;
  /** Words of the reference or the memo. */
  readonly reference?: string | undefined;
  readonly minimumAmount?: string | undefined;
  readonly maximumAmount?: string | undefined;
}

/** The terms under which every activity that matches is indexed. */
export async function requiredTerms(filter: SearchFilter, keys: KeyReader): Promise<readonly string[]> {
  const { userId, keyId, counterparty, asset, reference = '' } = filter;
  const [minimum, maximum] = amountsOf(filter);
  return [
    ...referenceWords(reference).map(term.referenceWord),
    ...(counterparty === undefined ? [] : [term.counterparty(counterparty)]),
    ...(minimum !== undefined && minimum === maximum ? [term.amount(minimum)] : []),
    ...(asset === undefined ? [] : [term.asset(asset)]),
    ...(keyId === undefined ? [] : [term.key((await keys.walletOf(keyId)) ?? keyId)]),
    ...(userId === undefined ? [] : [term.user(userId)]),
  ];
}

/** Whether an activity matches. INVARIANT: the index only proposes activities; this decides about each of them. */
export async function matches(activity: Searched, filter: SearchFilter, keys: KeyReader): Promise<boolean> {
  const { userId, keyId, counterparty, asset, reference } = filter;
  if (reference !== undefined && !hasWords(activity, reference)) return false;
  if (userId !== undefined && !activity.votes.some((vote) => vote.userId === userId)) return false;
  if (keyId !== undefined && !(await usesKey(activity, keyId, keys))) return false;
  const [minimum, maximum] = amountsOf(filter);
  if (counterparty === undefined && asset === undefined && minimum === undefined && maximum === undefined) return true;
  const address = counterparty === undefined ? undefined : plainAddress(counterparty);
  const name = asset === undefined ? undefined : plainAsset(asset);
  return effectsOf(activity).some(
    (effect) =>
      (address === undefined || counterpartiesOf(effect).some((one) => plainAddress(one) === address)) &&
      (name === undefined || isOfAsset(effect, name)) &&
      isWithin(effect, minimum, maximum),
  );
}

function amountsOf({ minimumAmount, maximumAmount }: SearchFilter) {
  return [minimumAmount, maximumAmount].map((amount) => (amount === undefined ? undefined : plainAmount(amount)));
}

function hasWords(activity: Searched, reference: string): boolean {
  const words = wordsOf(activity);
  return referenceWords(reference).every((word) => words.includes(word));
}

async function usesKey(activity: Searched, keyId: string, keys: KeyReader): Promise<boolean> {
  for (const id of await namedKeys(activity, keys)) if (id === keyId || (await keys.walletOf(id)) === keyId) return true;
  return false;
}

function isOfAsset({ asset }: EffectShape, name: string): boolean {
  return asset !== undefined && [asset.id, asset.symbol].some((one) => one !== undefined && plainAsset(one) === name);
}

function isWithin({ units, unlimited }: EffectShape, minimum: string | undefined, maximum: string | undefined): boolean {
  if (minimum === undefined && maximum === undefined) return true;
  if (unlimited === true) return maximum === undefined;
  const amount = units === undefined ? undefined : plainAmount(units);
  if (amount === undefined) return false;
  return (
    (minimum === undefined || compareAmounts(amount, minimum) >= 0) &&
    (maximum === undefined || compareAmounts(amount, maximum) <= 0)
  );
}

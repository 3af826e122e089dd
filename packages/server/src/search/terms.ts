import { canonicalAddress } from '@countersign/chains';
import { type EffectShape, referenceWords } from '@countersign/contract';
import type { ActivityRecord } from '../organizations/activities/activity-record.ts';
import { referenceOf } from '../organizations/activities/reference-of.ts';
import { plainAmount } from './amount.ts';
import { memosOf } from './memos.ts';
import { timeOfId } from './minutes.ts';

/** The parts of an activity that searches look at. */
export type Searched = Pick<ActivityRecord, 'votes' | 'intent' | 'parsed'>;

/** Resolves the keys that requests name. */
export interface KeyReader {
  /** The wallet of an account. Undefined if there is no such account. */
  walletOf(accountId: string): Promise<string | undefined>;
  /** Ids of the accounts and private keys with an address. */
  idsOf(address: string): Promise<readonly string[]>;
}

/** More than any activity of ordinary size has. Batches of a thousand payments fit. */
const MAX_TERMS = 4_096;

/** An index term: the field and the value to look up. */
export const term = {
  user: (userId: string) => `user ${userId}`,
  key: (id: string) => `key ${id}`,
  counterparty: (address: string) => `to ${plainAddress(address)}`,
  asset: (name: string) => `asset ${plainAsset(name)}`,
  amount: (plain: string) => `amount ${plain}`,
  referenceWord: (word: string) => `reference ${word}`,
};

/** The form in which addresses are compared: every spelling of an address gives one text. */
export function plainAddress(address: string): string {
  return /^0x[0-9a-f]+$/i.test(address) ? address.toLowerCase() : canonicalAddress(address);
}

export function plainAsset(name: string): string {
  return name.toLowerCase();
}

/** Whether an effect moves something or lets somebody move it. Fees are left out: every transaction has one. */
export function isSearched({ kind }: EffectShape): boolean {
  return kind !== 'FEE';
}

export function effectsOf({ parsed }: Pick<Searched, 'parsed'>): readonly EffectShape[] {
  return parsed?.effects?.filter(isSearched) ?? [];
}

/** Who gains from an effect: the address in the transaction, and its owner if the bytes prove one. */
export function counterpartiesOf({ to, owner }: EffectShape): readonly string[] {
  return [to, owner].filter((address) => address !== undefined);
}

/** Ids of the wallets, accounts and private keys that the intent names, by id or by address. */
export async function namedKeys({ intent }: Pick<Searched, 'intent'>, keys: KeyReader): Promise<readonly string[]> {
  const named = (intent ?? {}) as Readonly<Record<string, unknown>>;
  const ids = textsOf(named, ['privateKeyId', 'walletId', 'privateKeyIds', 'walletIds', 'walletAccountIds']);
  for (const name of textsOf(named, ['signWith', 'from', 'address']))
    ids.push(...(timeOfId(name) === undefined ? await keys.idsOf(name) : [name]));
  return ids;
}

/** The texts in these fields. A field holds one or a list of them. */
function textsOf(of: Readonly<Record<string, unknown>>, fields: readonly string[]): string[] {
  return fields.flatMap((field) => of[field]).filter((value) => typeof value === 'string');
}

/** Words that a search finds an activity by: those of its reference and of the memos that it signs. */
export function wordsOf(activity: Searched): readonly string[] {
  return [referenceOf(activity) ?? '', ...memosOf(effectsOf(activity))].flatMap(referenceWords);
}

/** The terms that an activity is indexed under. */
export async function termsOf(activity: Searched, keys: KeyReader): Promise<ReadonlySet<string>> {
  const terms = new Set<string>();
  const add = (one: string) => terms.size < MAX_TERMS && terms.add(one);
  for (const { userId } of activity.votes) add(term.user(userId));
  for (const word of wordsOf(activity)) add(term.referenceWord(word));
  for (const id of await namedKeys(activity, keys)) add(term.key((await keys.walletOf(id)) ?? id));
  for (const effect of effectsOf(activity)) {
    for (const address of counterpartiesOf(effect)) add(term.counterparty(address));
    const { asset, units } = effect;
    if (asset !== undefined) add(term.asset(asset.id));
    if (asset?.symbol !== undefined) add(term.asset(asset.symbol));
    const plain = units === undefined ? undefined : plainAmount(units);
    if (plain !== undefined) add(term.amount(plain));
  }
  return terms;
}

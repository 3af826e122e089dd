import { type EffectShape, referenceWords } from '@countersign/contract';
import type { ActivityRecord } from '../organizations/activities/activity-record.ts';
import { referenceOf } from '../organizations/activities/reference-of.ts';
import { plainAmount } from './amount.ts';

/** The parts of an activity that searches look at. */
export type Searched = Pick<ActivityRecord, 'votes' | 'intent' | 'parsed'>;

/** Resolves the wallet of an account. Undefined if there is no such account. */
export type WalletOf = (accountId: string) => Promise<string | undefined>;

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

/** Hexadecimal addresses are compared without case, all others as they are. */
export function plainAddress(address: string): string {
  return /^0x[0-9a-f]+$/i.test(address) ? address.toLowerCase() : address;
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

/** Ids of the wallets, accounts and private keys that the intent names. */
export function namedKeys({ intent }: Pick<Searched, 'intent'>): readonly string[] {
  const { privateKeyId, privateKeyIds, walletId, walletIds } = (intent ?? {}) as Readonly<Record<string, unknown>>;
  const lists = [privateKeyIds, walletIds].filter((list) => Array.isArray(list)).flat();
  return [privateKeyId, walletId, ...lists].filter((id) => typeof id === 'string');
}

/** The terms that an activity is indexed under. */
export async function termsOf(activity: Searched, walletOf: WalletOf): Promise<ReadonlySet<string>> {
  const terms = new Set<string>();
  const add = (one: string) => terms.size < MAX_TERMS && terms.add(one);
  for (const { userId } of activity.votes) add(term.user(userId));
  for (const word of referenceWords(referenceOf(activity) ?? '')) add(term.referenceWord(word));
  for (const id of namedKeys(activity)) add(term.key((await walletOf(id)) ?? id));
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

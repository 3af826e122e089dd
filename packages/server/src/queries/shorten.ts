import {
  type ActivePolicyShape,
  MAX_ITEM_CHARACTERS,
  type PolicyShape,
  type SmartContractInterfaceShape,
  type UserShape,
} from '@countersign/contract';
import type { Shorten } from './collect.ts';

/** Shorter fields stay. In characters. */
const SMALL_FIELD = 1_024;

interface Shortenable {
  readonly shortened?: { fields: string[]; query: string } | undefined;
}

/** Replaces long fields in this order by their smallest valid values, until the item is short enough. `query` returns the whole item. */
function shortenBy<S extends Shortenable>(query: string, smallest: Partial<S>): Shorten<S> {
  return (item) => {
    const fields: string[] = [];
    const shown: S = { ...item };
    let { length } = JSON.stringify(item);
    for (const field of Object.keys(smallest) as (keyof S & string)[]) {
      const fieldLength = JSON.stringify(item[field])?.length ?? 0;
      if (length <= MAX_ITEM_CHARACTERS || fieldLength <= SMALL_FIELD) continue;
      shown[field] = smallest[field] as S[typeof field];
      fields.push(field);
      length -= fieldLength;
    }
    return { ...shown, shortened: { fields, query } };
  };
}

export const shortenPolicy = shortenBy<PolicyShape>('get_policy', { notes: '', time: '', consensus: '', condition: '' });

export const shortenStatus = shortenBy<ActivePolicyShape>('get_policy', { timeExpr: '' });

export const shortenUser = shortenBy<UserShape>('get_user', {
  mfaPolicies: [],
  oauthProviders: [],
  authenticators: [],
  apiKeys: [],
});

export const shortenInterface = shortenBy<SmartContractInterfaceShape>('get_smart_contract_interface', {
  smartContractInterface: '',
  notes: '',
});

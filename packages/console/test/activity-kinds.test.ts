import { activityByType } from '@countersign/contract';
import { expect, test } from 'vitest';
import { kinds, typesOf } from '../src/pages/activities/kinds.ts';
import { words } from '../src/words/index.ts';

const all = Object.keys(kinds).map((kind) => [kind, typesOf(kind) ?? []] as const);

test('every version of every type of activity has exactly one kind', () => {
  expect(all.flatMap(([, types]) => types).sort()).toEqual([...activityByType.keys()].sort());
});

test.each([
  ['ETH_SEND_TRANSACTION_V2', 'signing'],
  ['BITCOIN_SEND_TRANSACTION', 'signing'],
  ['CREATE_CONTACTS', 'contacts'],
  ['CREATE_TOKENS', 'contacts'],
  ['FREEZE', 'organization'],
  ['CREATE_MFA_POLICY', 'people'],
  ['EXPORT_WALLET_ACCOUNT', 'wallets'],
  ['CREATE_POLICY', 'policies'],
  ['CREATE_POLICY_V3', 'policies'],
])('%s is of the kind %s', (type, kind) => {
  expect(all.filter(([, types]) => types.some((one) => one === `ACTIVITY_TYPE_${type}`)).map(([name]) => name)).toEqual([kind]);
});

test('every kind has a label, and another word is no kind', () => {
  expect(Object.keys(words.activities.kinds)).toEqual(['all', ...Object.keys(kinds)]);
  expect([typesOf('x'), typesOf('constructor')]).toEqual([undefined, undefined]);
});

import { MAX_ITEM_CHARACTERS, type PolicyShape, type UserShape } from '@countersign/contract';
import { expect, test } from 'vitest';
import { shortenPolicy, shortenUser } from '../../src/queries/shorten.ts';

const at = { seconds: '0', nanos: '0' };
const policy = (fields: Partial<PolicyShape>): PolicyShape => ({
  policyId: 'policy',
  policyName: 'Policy',
  effect: 'EFFECT_ALLOW',
  condition: 'true',
  consensus: '',
  notes: '',
  createdAt: at,
  updatedAt: at,
  ...fields,
});
const long = 'x'.repeat(MAX_ITEM_CHARACTERS);
const half = 'x'.repeat(MAX_ITEM_CHARACTERS * 0.6);

test('leaves out as few fields as possible, the least important first', () => {
  expect(shortenPolicy(policy({ condition: half, notes: half }))).toEqual(
    policy({ condition: half, shortened: { fields: ['notes'], query: 'get_policy' } }),
  );
  expect(shortenPolicy(policy({ condition: long, notes: half }))).toEqual(
    policy({ condition: '', shortened: { fields: ['notes', 'condition'], query: 'get_policy' } }),
  );
});

test('keeps short fields, also if that does not help', () => {
  const notes = 'important';
  expect(shortenPolicy(policy({ condition: long, consensus: long, notes }))).toEqual(
    policy({ condition: '', consensus: '', notes, shortened: { fields: ['consensus', 'condition'], query: 'get_policy' } }),
  );
});

test('does not add a field that the item does not have', () => {
  expect(shortenPolicy(policy({ condition: long }))).not.toHaveProperty('time');
});

test('a shortened item fits, whatever its texts are', () => {
  const credential = { publicKey: 'x'.repeat(500), type: 'CREDENTIAL_TYPE_API_KEY_P256' as const };
  const apiKeys = Array.from({ length: 100 }, () => ({
    credential,
    apiKeyId: 'key',
    apiKeyName: '\u0000'.repeat(256),
    createdAt: at,
    updatedAt: at,
  }));
  const user: UserShape = {
    userId: 'user',
    userName: 'User',
    authenticators: [],
    apiKeys,
    userTags: ['tag'],
    oauthProviders: [],
    createdAt: at,
    updatedAt: at,
  };
  const shortened = shortenUser(user);
  expect(shortened).toEqual({ ...user, apiKeys: [], shortened: { fields: ['apiKeys'], query: 'get_user' } });
  expect(JSON.stringify(shortened).length).toBeLessThan(MAX_ITEM_CHARACTERS);
});

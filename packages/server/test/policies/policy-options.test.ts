import { readFileSync } from 'node:fs';
import { type ActivityDefinition, activities } from '@countersign/contract';
import { checkPolicy, namespaces } from '@countersign/policy';
import { describe, expect, test } from 'vitest';
import { activityParams } from '../../src/policies/activity-params.ts';
import { activityKind, policyOptions } from '../../src/policies/policy-options.ts';

const table = Object.values(activities as unknown as Record<string, ActivityDefinition>);
const check = (condition: string) => checkPolicy({ condition }, policyOptions).map(({ code }) => code);

describe('literals of the contract', () => {
  test('policies can name every type, kind, resource and action of the contract', () => {
    for (const { versions, policy } of table) {
      for (const { type } of versions) {
        expect(check(`activity.type == '${type}' && activity.kind == '${activityKind(type)}'`)).toEqual([]);
      }
      expect(check(`activity.resource == '${policy.resource}' && activity.action == '${policy.action}'`)).toEqual([]);
    }
  });

  test('and no others', () => {
    for (const path of ['type', 'kind', 'resource', 'action', 'params.hash_function', 'params.encoding', 'params.type']) {
      expect(check(`activity.${path} == 'SOMETHING_ELSE'`), path).toEqual(['UNKNOWN_LITERAL']);
    }
  });

  test('every expression of the reference is accepted', () => {
    const url = new URL('../../../../conformance/policy/reference.json', import.meta.url);
    const { cases } = JSON.parse(readFileSync(url, 'utf8')) as {
      cases: { name: string; condition?: string; consensus?: string }[];
    };
    expect(cases.length).toBeGreaterThan(100);
    for (const { name, condition, consensus } of cases) {
      const expressions = { ...(condition !== undefined && { condition }), ...(consensus !== undefined && { consensus }) };
      expect(checkPolicy(expressions, policyOptions), name).toEqual([]);
    }
  });

  test.each([
    ['ACTIVITY_TYPE_SIGN_TRANSACTION', 'SIGN_TRANSACTION'],
    ['ACTIVITY_TYPE_SIGN_TRANSACTION_V2', 'SIGN_TRANSACTION'],
    ['ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7', 'CREATE_SUB_ORGANIZATION'],
    ['ACTIVITY_TYPE_OAUTH2_AUTHENTICATE', 'OAUTH2_AUTHENTICATE'],
  ])('the kind of %s is %s', (type, kind) => {
    expect(activityKind(type)).toBe(kind);
  });
});

describe('addresses', () => {
  const spelled = (kind: string, text: string) => policyOptions.normalizers?.[kind as 'ethereum']?.(text);

  test.each([
    ['ethereum', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', '0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED'],
    ['tron', 'TTA1VjEmTscLXTmdzG1DRTw6U8ueQKX6N6', 'TTA1VjEmTscLXTmdzG1DRTw6U8ueQKX6N6'],
    ['solana', '11111111111111111111111111111111', '11111111111111111111111111111111'],
    ['bitcoin', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4'],
  ])('D34: %s has one form for each address', (kind, one, other) => {
    expect(spelled(kind, one)).toBeDefined();
    expect(spelled(kind, other)).toBe(spelled(kind, one));
  });

  test.each([
    ['ethereum', '0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
    ['ethereum', ''],
    ['tron', 'TTA1VjEmTscLXTmdzG1DRTw6U8ueQKX6N7'],
    ['solana', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
  ])('the address kind %s refuses %s', (kind, text) => {
    expect(spelled(kind, text)).toBeUndefined();
  });
});

describe('the parameters that policies see', () => {
  const named = namespaces.filter(({ path }) => path.startsWith('activity.params.'));
  // The generator of P-256 in compressed form: exports are encrypted to a point of that curve.
  const targetPublicKey = '036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296';
  const kinds = [...new Set(table.map(({ type }) => activityKind(type)))];

  test('are those that the language defines, for every kind of the contract', () => {
    for (const kind of kinds) {
      const expected = named.filter((each) => each.kinds?.includes(kind)).map(({ path }) => path.replace('activity.params.', ''));
      expect(Object.keys(activityParams(kind, { targetPublicKey }) ?? {}).sort(), kind).toEqual(expected.sort());
    }
  });

  test('have the values of the request, and nothing of a payload', () => {
    const params = {
      userId: 'u',
      apiKeyIds: ['k', 'l'],
      payload: 'secret',
      hashFunction: 'H',
      encoding: 'E',
      type: 'T',
      userIds: ['u'],
    };
    expect(activityParams('DELETE_API_KEYS', params)).toEqual({ user_id: 'u', api_key_ids: ['k', 'l'] });
    expect(activityParams('CREATE_API_KEYS', params)).toEqual({ user_id: 'u' });
    expect(activityParams('SIGN_RAW_PAYLOADS', params)).toEqual({ hash_function: 'H', encoding: 'E' });
    expect(activityParams('SIGN_TRANSACTION', params)).toEqual({ type: 'T' });
    expect(activityParams('DELETE_USERS', params)).toEqual({ user_ids: ['u'] });
    expect(activityParams('CREATE_POLICY', params)).toBeUndefined();
    const { target_public_key: target } =
      activityParams('EXPORT_WALLET', { targetPublicKey: targetPublicKey.toUpperCase() }) ?? {};
    expect(target).toMatch(/^046b17d1f2e12c42[0-9a-f]{114}$/);
  });
});

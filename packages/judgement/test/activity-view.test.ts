import { type ActivityDefinition, activities } from '@countersign/contract';
import { evaluateOver } from '@countersign/judgement';
import { describe, expect, test } from 'vitest';

const over = (definition: ActivityDefinition, params: object, text: string) => {
  const value = evaluateOver({ definition, type: definition.type, params }, text);
  return typeof value === 'object' ? value.code : value;
};

describe('an expression over an activity, before it is planned', () => {
  test('sees the parameters that were sent, and which they are', () => {
    const params = { userId: 'u', apiKeys: [] };
    expect(over(activities.createApiKeys, params, "activity.params.user_id == 'u'")).toBe(true);
    expect(over(activities.createApiKeys, params, "activity.params.user_id == 'v'")).toBe(false);
    expect(over(activities.createApiKeys, params, "activity.given.contains('api_keys')")).toBe(true);
  });

  test('sees those that only the root quorum may send', () => {
    const params = { threshold: 1, userIds: ['u'] };
    expect(over(activities.updateRootQuorum, params, "activity.params.user_ids.contains('u')")).toBe(true);
    expect(over(activities.createApiKeys, { userId: 'u', apiKeys: [] }, 'activity.params.threshold == 1')).toBe(
      'NAMESPACE_ABSENT',
    );
  });

  test('SECURITY: has no value for what only the executor can tell, whatever the request says', () => {
    const sign = { signWith: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed', payload: '', encoding: '', hashFunction: '' };
    expect(over(activities.signRawPayload, sign, "activity.params.sign_with != '0x00'")).toBe('MISSING_FIELD');
    const login = { publicKey: '02', expirationSeconds: '60' };
    expect(over(activities.stampLogin, login, 'activity.params.expiration_seconds < 3600')).toBe('MISSING_FIELD');
  });

  test('is nothing where the text asks about something else', () => {
    expect(over(activities.signRawPayload, {}, "wallet.id == 'w'")).toBeUndefined();
  });
});

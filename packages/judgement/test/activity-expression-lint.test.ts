import { policyOptions } from '@countersign/judgement';
import { type ActivityExpressionUse, lintActivityExpression } from '@countersign/policy';
import { describe, expect, test } from 'vitest';

const codes = (text: string, use: ActivityExpressionUse) =>
  lintActivityExpression(text, use, policyOptions).map(({ code }) => code);

describe('D409: warnings about MFA conditions and session scopes', () => {
  test.each<[string, ActivityExpressionUse, readonly string[]]>([
    ["activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2'", 'MFA_CONDITION', ['DENY_SIDESTEPPED']],
    ["activity.kind == 'SIGN_RAW_PAYLOAD'", 'MFA_CONDITION', ['DENY_SIDESTEPPED']],
    ["activity.action == 'SIGN' || activity.params.wallet_id == 'w'", 'MFA_CONDITION', ['APPLIES_TO']],
    ["activity.kind == 'CREATE_WALLET' || activity.params.user_id == 'u'", 'SESSION_SCOPE', ['APPLIES_TO']],
    ["activity.kind == 'CREATE_WALLET' && activity.params.user_id == 'u'", 'SESSION_SCOPE', ['NEVER_MATCHES']],
    ["activity.kind == 'DELETE_USERS' && activity.params.user_ids[0] == 'u'", 'SESSION_SCOPE', ['EVERY_OPERAND']],
    ["activity.kind == 'DELETE_USERS' && activity.params.user_ids[0] == 'u'", 'MFA_CONDITION', ['EVERY_OPERAND']],
  ])('%s: %s', (text, use, expected) => {
    expect(codes(text, use)).toEqual(expect.arrayContaining([...expected]));
  });

  test.each<[string, ActivityExpressionUse]>([
    ["activity.action in ['SIGN', 'EXPORT']", 'MFA_CONDITION'],
    ["activity.kind in ['SIGN_RAW_PAYLOAD', 'SIGN_RAW_PAYLOADS']", 'MFA_CONDITION'],
    ["activity.action == 'SIGN'", 'SESSION_SCOPE'],
    ["activity.kind == 'DELETE_USERS' && activity.params.user_ids.all(id, id == 'u')", 'SESSION_SCOPE'],
  ])('not: %s: %s', (text, use) => {
    expect(codes(text, use)).toEqual([]);
  });

  test('the help says what happens in other activities', () => {
    const [mfa] = lintActivityExpression("activity.params.wallet_id == 'w'", 'MFA_CONDITION', policyOptions);
    expect(mfa?.help).toContain('no second factor is required there');
    expect(mfa?.policyId).toBeUndefined();
  });
});

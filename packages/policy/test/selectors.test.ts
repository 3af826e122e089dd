import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkPolicy, policyToSelectorsV1, selectorsToPolicy } from '../src/index.ts';
import { policyToSelectors } from '../src/selectors/from-policy.ts';
import { type SelectorV2, selectorOperators } from '../src/selectors/selector.ts';
import { host } from './support/host.ts';

describe('selectors to policies', () => {
  test.each([
    ['OPERATOR_EQUAL', 'activity.type', ['A'], "activity.type == 'A'"],
    ['OPERATOR_NOT_EQUAL', 'wallet.id', ["it's"], "wallet.id != 'it\\'s'"],
    ['OPERATOR_MORE_THAN', 'eth.tx.value', ['5'], 'eth.tx.value > 5'],
    ['OPERATOR_MORE_THAN_OR_EQUAL', 'eth.tx.value', ['5'], 'eth.tx.value >= 5'],
    ['OPERATOR_LESS_THAN', 'eth.tx.value', ['-5'], 'eth.tx.value < -5'],
    ['OPERATOR_LESS_THAN_OR_EQUAL', 'eth.tx.value', ['5'], 'eth.tx.value <= 5'],
    ['OPERATOR_CONTAINS', 'private_key.tags', ['t'], "private_key.tags.contains('t')"],
    [
      'OPERATOR_CONTAINS_ONE',
      'private_key.tags',
      ['t', 'u'],
      "(private_key.tags.contains('t') || private_key.tags.contains('u'))",
    ],
    [
      'OPERATOR_CONTAINS_ALL',
      'private_key.tags',
      ['t', 'u'],
      "(private_key.tags.contains('t') && private_key.tags.contains('u'))",
    ],
    ['OPERATOR_IN', 'activity.action', ['SIGN', 'EXPORT'], "activity.action in ['SIGN', 'EXPORT']"],
    ['OPERATOR_NOT_IN', 'activity.action', ['SIGN', 'EXPORT'], "!(activity.action in ['SIGN', 'EXPORT'])"],
  ] as const)('%s', (operator, subject, targets, condition) => {
    const selector = { subject, operator, targets };
    const { policy, problems } = selectorsToPolicy([selector]);
    expect(problems).toEqual([]);
    expect(policy).toEqual({ condition });
    expect(checkPolicy(policy)).toEqual([]);
    expect(policyToSelectors(policy)).toEqual([selector]);
  });

  test('all eleven operators are covered above', () => {
    expect(selectorOperators).toHaveLength(11);
  });

  test('the first form takes several targets separated by commas', () => {
    const { policy } = selectorsToPolicy([{ subject: 'activity.action', operator: 'OPERATOR_IN', target: 'SIGN, EXPORT' }]);
    expect(policy).toEqual({ condition: "activity.action in ['SIGN', 'EXPORT']" });
    expect(policyToSelectorsV1(policy)).toEqual([{ subject: 'activity.action', operator: 'OPERATOR_IN', target: 'SIGN,EXPORT' }]);
    expect(selectorsToPolicy([{ subject: 'wallet.label', operator: 'OPERATOR_EQUAL', target: 'a, b' }]).policy).toEqual({
      condition: "wallet.label == 'a, b'",
    });
  });

  test('people go into the consensus, and one person must satisfy all that is said of a user', () => {
    const { policy } = selectorsToPolicy([
      { subject: 'user.tags', operator: 'OPERATOR_CONTAINS', target: 'ops' },
      { subject: 'activity.action', operator: 'OPERATOR_EQUAL', target: 'SIGN' },
      { subject: 'user.id', operator: 'OPERATOR_NOT_EQUAL', target: 'u' },
      { subject: 'credential.type', operator: 'OPERATOR_EQUAL', target: 'CREDENTIAL_TYPE_API_KEY_P256' },
    ]);
    expect(policy).toEqual({
      condition: "activity.action == 'SIGN'",
      consensus:
        "approvers.any(user, user.tags.contains('ops') && user.id != 'u') && credentials.any(credential, credential.type == 'CREDENTIAL_TYPE_API_KEY_P256')",
    });
    expect(checkPolicy(policy)).toEqual([]);
  });

  test.each([
    ['an unknown subject', { subject: 'eth.tx.valu', operator: 'OPERATOR_EQUAL', target: '1' }],
    ['an expression as subject', { subject: 'true || wallet.id', operator: 'OPERATOR_EQUAL', target: '1' }],
    ['a namespace of people as subject', { subject: 'approvers.count', operator: 'OPERATOR_EQUAL', target: '1' }],
    ['a clock as subject', { subject: 'time.now', operator: 'OPERATOR_EQUAL', target: '1' }],
    ['a group as subject', { subject: 'eth.tx', operator: 'OPERATOR_EQUAL', target: '1' }],
    ['text for an integer', { subject: 'eth.tx.value', operator: 'OPERATOR_EQUAL', target: '1 || true' }],
    ['a float for an integer', { subject: 'eth.tx.value', operator: 'OPERATOR_EQUAL', target: '1e18' }],
    ['text for a boolean', { subject: 'wallet.imported', operator: 'OPERATOR_EQUAL', target: 'yes' }],
    ['a list for a single target', { subject: 'wallet.id', operator: 'OPERATOR_EQUAL', targets: ['a', 'b'] }],
    ['no target', { subject: 'wallet.id', operator: 'OPERATOR_IN', targets: [] }],
    ['containment in a text', { subject: 'wallet.id', operator: 'OPERATOR_CONTAINS', target: 'a' }],
    ['equality of a list', { subject: 'private_key.tags', operator: 'OPERATOR_EQUAL', target: 'a' }],
    ['an unknown operator', { subject: 'wallet.id', operator: 'OPERATOR_LIKE' as 'OPERATOR_EQUAL', target: 'a' }],
  ] as const)('%s is refused', (_, selector) => {
    const { policy, problems } = selectorsToPolicy([selector]);
    expect(problems).toMatchObject([{ index: 0 }]);
    expect(policy).toEqual({});
  });
});

describe('policies to selectors', () => {
  test('clauses that selectors cannot express are left out', () => {
    const policy = {
      condition:
        "activity.action == 'SIGN' && (wallet.id == 'a' || wallet.id == 'b') && eth.tx.data[0..10] == '0xa9059cbb' && 5 < eth.tx.value && eth.tx.to != eth.tx.from",
      consensus: "approvers.any(u, u.id == 'x') && approvers.count() >= 2",
    };
    expect(policyToSelectors(policy)).toEqual([
      { subject: 'activity.action', operator: 'OPERATOR_EQUAL', targets: ['SIGN'] },
      { subject: 'eth.tx.value', operator: 'OPERATOR_MORE_THAN', targets: ['5'] },
      { subject: 'user.id', operator: 'OPERATOR_EQUAL', targets: ['x'] },
    ]);
  });

  test('a literal in a list field is containment', () => {
    expect(policyToSelectors({ condition: "'x' in activity.params.user_ids" }, host)).toEqual([
      { subject: 'activity.params.user_ids', operator: 'OPERATOR_CONTAINS', targets: ['x'] },
    ]);
  });

  test('a policy without expressions, or with broken ones, has none', () => {
    expect(policyToSelectors({})).toEqual([]);
    expect(policyToSelectors({ condition: 'nonsense &&' })).toEqual([]);
  });

  test('the first form leaves out targets that hold a comma', () => {
    expect(policyToSelectorsV1({ condition: "wallet.label in ['a,b', 'c'] && wallet.id in ['d', 'e']" })).toEqual([
      { subject: 'wallet.id', operator: 'OPERATOR_IN', target: 'd,e' },
    ]);
  });

  test('selectors survive the way to a policy and back', () => {
    const text = fc.string({ maxLength: 6 }).filter((value) => !value.includes('\n'));
    const texts = fc.array(text, { minLength: 1, maxLength: 3 });
    const ints = fc.bigInt({ min: -100n, max: 2n ** 255n }).map(String);
    const selector: fc.Arbitrary<SelectorV2> = fc.oneof(
      fc.record({
        subject: fc.constantFrom('wallet.id', 'wallet.label'),
        operator: fc.constantFrom('OPERATOR_EQUAL' as const, 'OPERATOR_NOT_EQUAL' as const),
        targets: text.map((each) => [each]),
      }),
      fc.record({
        subject: fc.constantFrom('wallet.id', 'activity.type'),
        operator: fc.constantFrom('OPERATOR_IN' as const, 'OPERATOR_NOT_IN' as const),
        targets: texts,
      }),
      fc.record({
        subject: fc.constantFrom('eth.tx.value', 'eth.tx.nonce'),
        operator: fc.constantFrom(...selectorOperators.slice(0, 6)),
        targets: ints.map((each) => [each]),
      }),
      fc.record({
        subject: fc.constant('private_key.tags'),
        operator: fc.constantFrom('OPERATOR_CONTAINS_ONE' as const, 'OPERATOR_CONTAINS_ALL' as const),
        targets: fc.array(text, { minLength: 2, maxLength: 3 }),
      }),
      fc.record({
        subject: fc.constant('wallet.imported'),
        operator: fc.constant('OPERATOR_EQUAL' as const),
        targets: fc.constantFrom('true', 'false').map((each) => [each]),
      }),
    );
    fc.assert(
      fc.property(fc.array(selector, { minLength: 1, maxLength: 5 }), (selectors) => {
        const { policy, problems } = selectorsToPolicy(selectors);
        expect(problems).toEqual([]);
        expect(checkPolicy(policy)).toEqual([]);
        expect(policyToSelectors(policy)).toEqual(selectors);
      }),
    );
  });
});

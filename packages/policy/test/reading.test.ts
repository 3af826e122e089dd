import { describe, expect, test } from 'vitest';
import { countsForReading, lintPolicies, type PolicySource, policyReach, type QueryWords } from '../src/index.ts';
import { compilePolicy, type Effect } from '../src/policy.ts';
import { host } from './support/host.ts';

const own: QueryWords = { kind: 'LIST_USERS', resource: 'USER', organization: 'OWN_ORGANIZATION' };
const sub: QueryWords = { ...own, organization: 'SUB_ORGANIZATION' };

function counts(condition: string | undefined, query = own, effect: Effect = 'EFFECT_ALLOW'): boolean {
  const { vocabularies: _, ...options } = host;
  return countsForReading(compilePolicy({ id: 'p', effect, ...(condition !== undefined && { condition }) }, options), query);
}

describe('a policy counts for a query', () => {
  test.each([
    "activity.action == 'READ'",
    "'READ' == activity.action",
    "activity.action in ['READ', 'SIGN']",
    "activity.action == 'READ' && activity.resource == 'USER'",
    "activity.action == 'READ' && activity.resource != 'WALLET'",
    "activity.action == 'READ' || activity.kind == 'CREATE_USERS'",
    "!(activity.action != 'READ')",
    "activity.kind == 'LIST_USERS'",
    "activity.kind in ['GET_USER', 'LIST_USERS']",
    "activity.resource == 'USER' && (activity.action == 'READ' || activity.action == 'CREATE')",
  ])('if its condition requires reading: %s', (condition) => {
    expect(counts(condition)).toBe(true);
    expect(counts(condition, own, 'EFFECT_DENY')).toBe(true);
  });

  test.each([
    undefined,
    'true',
    'false',
    "activity.resource == 'USER'",
    "activity.action != 'SIGN'",
    "!(activity.action in ['SIGN', 'EXPORT'])",
    "activity.action != 'READ'",
    "!(activity.action == 'READ')",
    "activity.action == 'READ' || activity.resource == 'USER'",
    "activity.action == 'READ' || activity.resource == 'WALLET'",
    "activity.action == 'READ' || true",
    "activity.action == 'CREATE'",
    "activity.action == 'READ' && activity.resource == 'WALLET'",
    "activity.kind == 'LIST_WALLETS'",
    "activity.kind != 'LIST_WALLETS'",
    "activity.kind == 'CREATE_USERS' && activity.action == 'READ'",
    "activity.type == 'READ'",
    "(activity.action == 'READ') == false",
    "query.organization == 'OWN_ORGANIZATION'",
    "activity.resource == 'USER' && query.organization == 'OWN_ORGANIZATION'",
  ])('not if a request of another action could meet it, or the query cannot: %s', (condition) => {
    expect(counts(condition)).toBe(false);
    expect(counts(condition, own, 'EFFECT_DENY')).toBe(false);
  });

  test('of a sub-organization only if it names sub-organizations; a DENY holds there too', () => {
    const wide = "activity.action == 'READ'";
    expect(counts(wide, sub)).toBe(false);
    expect(counts(wide, sub, 'EFFECT_DENY')).toBe(true);
    expect(counts(`${wide} && query.organization == 'SUB_ORGANIZATION'`, sub)).toBe(true);
    expect(counts(`${wide} && query.organization in ['OWN_ORGANIZATION', 'SUB_ORGANIZATION']`, sub)).toBe(true);
    expect(counts(`${wide} && query.organization != 'OWN_ORGANIZATION'`, sub)).toBe(false);
    expect(counts(`${wide} && query.organization == 'OWN_ORGANIZATION'`, sub)).toBe(false);
    expect(counts(`${wide} && query.organization == 'SUB_ORGANIZATION'`, own)).toBe(false);
  });

  test('if it is a DENY whose condition does not compile', () => {
    expect(counts("activity.action = 'READ'", own, 'EFFECT_DENY')).toBe(true);
    expect(counts("activity.action = 'READ'")).toBe(false);
  });
});

describe('warnings about reading', () => {
  const readable = [
    { kind: 'LIST_USERS', resources: ['USER'] },
    { kind: 'LIST_WALLETS', resources: ['WALLET'] },
  ];
  const activities = [{ type: 'ACTIVITY_TYPE_CREATE_USERS', kind: 'CREATE_USERS', resource: 'USER', action: 'CREATE' }];
  const { vocabularies: _, ...options } = { ...host, queries: readable, activities };
  const allow = (condition: string, id = 'p') => ({ id, effect: 'EFFECT_ALLOW' as const, condition });
  const deny = (condition: string, id = 'd') => ({ id, effect: 'EFFECT_DENY' as const, condition });
  const codes = (...policies: PolicySource[]) => lintPolicies(policies, { ...options, focus: ['p'] }).map(({ code }) => code);

  test('a policy on queries is not called useless', () => {
    for (const condition of [
      "activity.action == 'READ'",
      "activity.action == 'READ' && activity.resource == 'WALLET'",
      "activity.kind == 'LIST_USERS'",
      "activity.action == 'READ' && query.organization == 'SUB_ORGANIZATION'",
    ]) {
      expect([condition, codes(allow(condition))]).toEqual([condition, []]);
      expect([condition, codes(allow(condition), allow('true', 'wide'))]).toEqual([condition, []]);
      expect([condition, codes(allow(condition), deny("activity.action != 'SIGN'"), deny('true', 'all'))]).toEqual([
        condition,
        [],
      ]);
    }
    const own = "activity.action == 'READ'";
    expect(codes(allow(`${own} && query.organization == 'SUB_ORGANIZATION'`), allow(own, 'wide'))).toEqual([]);
    expect(policyReach(allow("activity.kind == 'LIST_USERS'"), options)).toEqual({
      appliesTo: [],
      everything: false,
      queries: ['LIST_USERS'],
    });
  });

  test('a policy on queries that another one covers is', () => {
    const narrow = "activity.action == 'READ' && activity.resource == 'WALLET'";
    expect(codes(allow(narrow), allow("activity.action == 'READ'", 'wide'))).toEqual(['REDUNDANT']);
    expect(codes(allow(narrow), deny("activity.action == 'READ'"))).toEqual(['SHADOWED']);
  });

  test('a policy that names queries and counts for none is reported', () => {
    for (const condition of [
      "activity.action == 'READ' || activity.resource == 'USER'",
      "query.organization == 'SUB_ORGANIZATION'",
      "activity.action == 'READ' && wallet.id == 'w'",
      "activity.action == 'READ' && activity.type == 'ACTIVITY_TYPE_CREATE_USERS'",
    ])
      expect([condition, codes(allow(condition))]).toEqual([condition, ['NOT_FOR_READING']]);
  });
});

import { describe, expect, test } from 'vitest';
import { countsForReading, type QueryWords } from '../src/index.ts';
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

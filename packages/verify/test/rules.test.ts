import { activities } from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import { ruleOf } from '../src/rules/rules.ts';
import { State } from '../src/state/state.ts';

describe('rules', () => {
  test.each(Object.keys(activities))('%s has a rule, and explains nothing that it was not asked for', (name) => {
    const rule = ruleOf(name);
    if (rule === undefined) throw new Error(`no rule says what ${name} may change`);
    const params = new Proxy({}, { get: (_, member) => (member === 'email' ? 'intruder@example.com' : []) });
    const done = { state: new State('o'), params, result: params, submitterId: 'u', by: 'POLICY', atMs: 0, changes: [] };
    const quorum = { name: 'x', parentId: null, rootQuorum: { threshold: 0, userIds: ['intruder'] }, features: [] };
    const dates = { createdAtMs: 0, updatedAtMs: 0 };
    for (const change of [
      {
        kind: 'organization',
        id: 'o',
        before: { ...quorum, rootQuorum: { threshold: 1, userIds: [] }, ...dates },
        after: { ...quorum, ...dates },
      },
      { kind: 'policy', id: 'p', before: undefined, after: { effect: 'EFFECT_ALLOW', condition: 'true', ...dates } },
      { kind: 'user', id: 'intruder', before: undefined, after: { userName: 'intruder', userTags: [], ...dates } },
    ] as const)
      expect(rule(change as never, done as never)).toBe(false);
  });

  test('a type that this release does not know has none', () => {
    expect(ruleOf('toString')).toBeUndefined();
    expect(ruleOf('makeCoffee')).toBeUndefined();
  });
});

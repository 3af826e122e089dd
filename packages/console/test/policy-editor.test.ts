import type { PolicyShape } from '@countersign/contract';
import type { NamedTag } from '@countersign/policy';
import { describe, expect, test } from 'vitest';
import { problemsOf, tagsIn } from '../src/pages/policies/editor/checker.ts';
import { type Around, findWorstCase } from '../src/pages/policies/editor/find-worst-case.ts';
import { withTagIds } from '../src/pages/policies/tag-ids.ts';

const treasurers: NamedTag = { id: '11111111-0000-4000-8000-000000000000', name: 'treasurers', kind: 'user tag' };
const twice = (kind: NamedTag['kind'], digit: string): NamedTag => ({
  ...treasurers,
  id: treasurers.id.replaceAll('1', digit),
  name: 'twice',
  kind,
});
const tags = [treasurers, twice('user tag', '2'), twice('private key tag', '3')];
const allow = { effect: 'EFFECT_ALLOW', controls: [], tags } as const;
const draft = { policyName: 'P', effect: 'EFFECT_ALLOW', condition: '', consensus: '', notes: '' } as const;
const tagged = (tag: string) => `approvers.any(u, u.tags.contains(tag('${tag}')))`;

describe('the editor of policies', () => {
  test('checks an expression by the effect of its policy: only a DENY may negate `has`', () => {
    const text = '!has(eth.tx.to)';
    expect(problemsOf('condition', text, { ...allow, effect: 'EFFECT_DENY' })).toEqual([]);
    expect(problemsOf('condition', text, allow)).toHaveLength(1);
  });

  test('D445: names of tags become ids before the request is sent, and others are problems', async () => {
    const consensus = tagged('treasurers');
    expect(problemsOf('consensus', consensus, allow)).toEqual([]);
    expect((await withTagIds({ ...draft, consensus }, tags)).consensus).toBe(tagged(treasurers.id));
    expect(tagsIn(consensus, tags)).toEqual([treasurers]);
    expect(tagsIn(tagged(treasurers.id), tags)).toEqual([treasurers]);
    expect(problemsOf('consensus', tagged('treasurer'), allow)[0]?.message).toContain('did you mean `treasurers`?');
    expect(problemsOf('consensus', tagged('twice'), allow)[0]?.message).toContain('the name of several tags');
    expect((await withTagIds({ ...draft, consensus: tagged('twice') }, tags)).consensus).toBe(tagged('twice'));
    // The service rejects names until the tags are known.
    expect(problemsOf('consensus', consensus, { ...allow, tags: undefined })).toEqual([]);
    expect((await withTagIds({ ...draft, consensus }, undefined)).consensus).toBe(consensus);
  });
});

describe('the worst case of a draft', () => {
  const stored = (policyId: string, effect: PolicyShape['effect'], condition: string): PolicyShape => ({
    policyId,
    policyName: policyId,
    effect,
    condition,
    consensus: '',
    notes: '',
    createdAt: { seconds: '0', nanos: '0' },
    updatedAt: { seconds: '0', nanos: '0' },
  });
  const wanted = (condition: string, around: Partial<Around> = {}, effect: PolicyShape['effect'] = 'EFFECT_ALLOW') =>
    findWorstCase(
      { effect, condition, consensus: tagged('treasurers') },
      { policyId: undefined, policies: [], contacts: [], tags, ...around },
      new AbortController().signal,
    );

  test('names who may do what, among the other policies', async () => {
    expect(await wanted("activity.kind == 'EXPORT_WALLET'")).toBe('any user with the tag "treasurers" may export keys');
    const policies = [stored('d', 'EFFECT_DENY', "activity.action == 'EXPORT'")];
    expect(await wanted("activity.kind == 'EXPORT_WALLET'", { policies })).toMatch(/^none of \d+ tried requests is allowed$/);
  });

  test('D446: shows what an edited DENY stops denying, and nothing for a new one', async () => {
    const policies = [
      stored('a', 'EFFECT_ALLOW', "activity.action == 'EXPORT'"),
      stored('d', 'EFFECT_DENY', "activity.action == 'EXPORT'"),
    ];
    expect(await wanted("activity.kind == 'CREATE_WALLET'", { policies }, 'EFFECT_DENY')).toBe('A DENY allows nothing.');
    const edited = await wanted("activity.kind == 'CREATE_WALLET'", { policies, policyId: 'd' }, 'EFFECT_DENY');
    expect(edited).toBe('any user may then export keys; export secrets');
  });

  test('D1141: a draft keeps the times of its policy', async () => {
    const draft = { effect: 'EFFECT_ALLOW', condition: "activity.action == 'EXPORT'", consensus: '' } as const;
    const policies = [stored('a', 'EFFECT_ALLOW', draft.condition)];
    const found = (time: string) =>
      findWorstCase({ ...draft, time }, { policyId: 'a', policies, contacts: [], tags }, new AbortController().signal);
    expect(await found('')).toContain('may export keys');
    expect(await found("time.now < Timestamp('2020-01-01T00:00:00Z')")).toMatch(/^none of \d+ tried requests is allowed$/);
  });

  test('a policy whose list item lacks its long condition does not count as one without a condition', async () => {
    const long = { ...stored('d', 'EFFECT_DENY', ''), shortened: { fields: ['condition'], query: 'get_policy' } };
    expect(await wanted("activity.kind == 'EXPORT_WALLET'", { policies: [long] })).toContain('may export keys');
  });
});

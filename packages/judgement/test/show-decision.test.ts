import { authorizeByPolicy, showDecision, showExplained } from '@countersign/judgement';
import { describe, expect, test } from 'vitest';
import { judgement, organization, vote } from './support/world.ts';

const people = [{ id: 'a' }, { id: 'b' }];

describe('a stored and shown decision', () => {
  test('has who may approve while it waits, and who decided afterwards', () => {
    const policies = { p: { consensus: "approvers.filter(user, user.id in ['a', 'b']).count() >= 2" } };
    const where = organization(people, policies);
    expect(showDecision(authorizeByPolicy.decide(judgement(where, [vote('a')])), {})).toEqual({
      outcome: 'NEEDS_CONSENSUS',
      policyIds: [],
      mayApprove: ['b'],
      evaluations: [{ policyId: 'p', outcome: 'OUTCOME_REQUIRES_CONSENSUS' }],
    });
    expect(showDecision(authorizeByPolicy.decide(judgement(where, [vote('a'), vote('b')])), {})).toEqual({
      outcome: 'ALLOW',
      by: 'POLICY',
      policyIds: ['p'],
      evaluations: [{ policyId: 'p', outcome: 'OUTCOME_ALLOW' }],
    });
  });

  test('an explanation survives being stored, and is shown as data and as text', () => {
    const judged = judgement(organization(people, { p: { condition: 'activity.action != "SIGN"'.replaceAll('"', "'") } }), [
      vote('a'),
    ]);
    const explanation = authorizeByPolicy.explain(judged);
    expect(JSON.parse(JSON.stringify(explanation))).toEqual(explanation);
    const kept = { ...showDecision(explanation.decision, {}), explanation };
    const shown = showExplained(JSON.parse(JSON.stringify(kept)));
    expect(shown).toMatchObject({ outcome: 'DENY', by: 'IMPLICIT', explanation: { policies: [{ policyId: 'p' }] } });
    expect(shown.text).toContain("└─ condition: activity.action != 'SIGN' → false");
  });

  test('without an explanation a short text is shown', () => {
    const base = { outcome: 'ALLOW' as const, policyIds: [], evaluations: [] };
    expect(showExplained({ ...base, by: 'ROOT_QUORUM' })).toEqual({ ...base, by: 'ROOT_QUORUM', text: 'ALLOW (by root quorum)' });
    expect(showExplained({ ...base, by: 'SELF_SERVICE' }).text).toBe('ALLOW (by self service)');
  });
});

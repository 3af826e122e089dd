import { describe, expect, test } from 'vitest';
import { compilePolicies, type DecisionRequest, decide, explain, renderExplanation } from '../src/index.ts';
import { type DecisionCase, decisionCases, toRequest } from './support/decisions.ts';
import { host } from './support/host.ts';

describe('conformance/policy/decisions.json', () => {
  test.each(decisionCases)('$name', (entry) => {
    const set = compilePolicies(entry.policies, host);
    const request = requestOf(entry);
    const decision = decide(set, request);
    expect(decision.outcome).toBe(entry.outcome);
    if (entry.by !== undefined) expect(decision).toMatchObject({ by: entry.by });
    if (entry.policyIds !== undefined) expect(decision.policyIds).toEqual(entry.policyIds);
    if (entry.mayApprove !== undefined) expect(decision).toMatchObject({ mayApprove: entry.mayApprove });

    const explanation = explain(set, request);
    const { evaluations: _, ...lean } = decision;
    expect(explanation.decision).toMatchObject(lean);
    for (const [policyId, outcome] of Object.entries(entry.outcomes ?? {})) {
      expect(explanation.policies.find((policy) => policy.policyId === policyId)?.outcome).toBe(outcome);
    }
    expect(explanation.changes.length).toBeGreaterThan(0);
    expect(JSON.parse(JSON.stringify(explanation))).toEqual(explanation);
    expect(renderExplanation(explanation)).toContain(decision.outcome);
  });
});

function requestOf({ input, approvers, rootQuorum, rootQuorumOnly, selfService }: DecisionCase): DecisionRequest {
  return toRequest(input, approvers, {
    ...(rootQuorum === undefined ? {} : { rootQuorum }),
    ...(rootQuorumOnly === undefined ? {} : { rootQuorumOnly }),
    ...(selfService === undefined ? {} : { selfService }),
  });
}

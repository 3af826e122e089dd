import { activities } from '@countersign/contract';
import { policyOptions } from '@countersign/judgement';
import { policyToSelectorsV1 } from '@countersign/policy';
import { policyWarnings, readPolicy, requireFreeName, requireRoom } from '../../organizations/new-policy.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { limitExceeded } from '../../wire/refuse.ts';

export const createPolicy = execute(activities.createPolicy, {
  locksOrganization: true,

  async ruleChange({ organization }, params) {
    const content = readPolicy(organization, params, '');
    return { policies: new Map([[`new:${content.policyName}`, content]]) };
  },

  async plan({ organization, limits }, params) {
    if (organization.policies.size + 1 > limits.maxPolicies) throw limitExceeded('policies', limits.maxPolicies, 'maxPolicies');
    const content = readPolicy(organization, params, '');
    requireRoom(organization, limits, [content]);
    requireFreeName(organization, content.policyName, 'policyName');
    const { policyName, effect, condition, consensus, notes } = content;
    const intent = {
      policyName,
      selectors: policyToSelectorsV1(content, policyOptions).map((selector) => ({ ...selector })),
      effect,
      ...(condition !== undefined && { condition }),
      ...(consensus !== undefined && { consensus }),
      notes,
    };
    // Older versions use selectors. Policies see the equivalent expressions.
    const parameters = () => ({ condition: condition ?? '', consensus: consensus ?? '' });
    return { intent, subject: { parameters }, prepared: content };
  },

  async run({ organization, newId, nowMs }, { prepared: content }) {
    const policyId = newId();
    return {
      result: { policyId },
      changes: [{ op: 'putRecord', kind: 'policy', id: policyId, body: { ...content, createdAtMs: nowMs, updatedAtMs: nowMs } }],
      warnings: await policyWarnings(organization, new Map([[policyId, content]]), nowMs),
    };
  },
});

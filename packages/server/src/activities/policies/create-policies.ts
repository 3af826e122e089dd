import { activities } from '@countersign/contract';
import { createSlices, mapInSlices } from '../../admission/index.ts';
import { policyWarnings, readPolicy, requireFreeName, requireRoom } from '../../organizations/new-policy.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { firstRepeated, limitExceeded, nameTaken } from '../../wire/refuse.ts';

export const createPolicies = execute(activities.createPolicies, {
  locksOrganization: true,

  async ruleChange({ organization, endSlice }, { policies }) {
    requireRoom(organization, { maxPolicyKilobytes: Number.POSITIVE_INFINITY }, policies);
    const contents = await mapInSlices(policies, endSlice, (policy, index) =>
      readPolicy(organization, policy, `policies.${index}.`),
    );
    return { policies: new Map(contents.map((content) => [`new:${content.policyName}`, content])) };
  },

  async plan({ organization, limits }, params) {
    const { policies } = params;
    if (organization.policies.size + policies.length > limits.maxPolicies)
      throw limitExceeded('policies', limits.maxPolicies, 'maxPolicies');
    const repeated = firstRepeated(policies.map(({ policyName }) => policyName));
    if (repeated !== undefined) throw nameTaken('policy', `policies.${repeated}.policyName`);
    requireRoom(organization, limits, policies);
    // SECURITY: D353: compiling a long policy takes tens of milliseconds.
    const contents = await mapInSlices(policies, createSlices(organization.id), (policy, index) => {
      requireFreeName(organization, policy.policyName, `policies.${index}.policyName`);
      return readPolicy(organization, policy, `policies.${index}.`);
    });
    return { intent: params, subject: {}, prepared: contents };
  },

  async run({ organization, newId, nowMs }, { prepared: contents }) {
    const created = new Map(contents.map((content) => [newId(), content]));
    const dates = { createdAtMs: nowMs, updatedAtMs: nowMs };
    return {
      result: { policyIds: [...created.keys()] },
      changes: [...created].map(([id, content]) => ({
        op: 'putRecord' as const,
        kind: 'policy' as const,
        id,
        body: { ...content, ...dates },
      })),
      warnings: await policyWarnings(organization, created, nowMs),
    };
  },
});

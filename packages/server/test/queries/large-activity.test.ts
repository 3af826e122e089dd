import { expect, test } from 'vitest';
import type { QueryContext } from '../../src/pipeline/query.ts';
import { getActivity } from '../../src/queries/activities/get-activity.ts';
import { getMfaStatus } from '../../src/queries/credentials/get-mfa-status.ts';
import { explainActivity } from '../../src/queries/policies/explain-activity.ts';
import { getPolicyEvaluations } from '../../src/queries/policies/get-policy-evaluations.ts';

test.each([
  ['get_activity', getActivity],
  ['get_mfa_status', getMfaStatus],
  ['explain_activity', explainActivity],
  ['get_policy_evaluations', getPolicyEvaluations],
])('D252: %s takes a place before it reads a large activity', async (_, resolver) => {
  const takePlace = () => undefined;
  let waitsFor: unknown;
  const activities: Partial<QueryContext['activities']> = {
    async get(_organizationId, _id, beforeLarge) {
      waitsFor = beforeLarge;
      return undefined;
    },
    refuseArchived: async () => {},
  };
  const context = { activities, organization: { id: 'organization' }, takePlace } as unknown as QueryContext;
  await expect(resolver(context, { organizationId: 'organization', activityId: 'activity' })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  expect(waitsFor).toBe(takePlace);
});

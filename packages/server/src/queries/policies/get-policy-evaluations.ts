import { queries } from '@countersign/contract';
import { toTimestamp } from '../../organizations/show.ts';
import { resolve } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';

export const getPolicyEvaluations = resolve(
  queries.getPolicyEvaluations,
  async ({ activities, organization }, { activityId }) => {
    const record = await activities.get(organization.id, activityId);
    if (record === undefined) throw notFound('activity', 'activityId');
    return {
      policyEvaluations: record.decisions.map(({ voteId, evaluations, createdAtMs }) => ({
        // One decision is made for each vote, so the vote's id names it.
        id: voteId,
        activityId,
        organizationId: organization.id,
        voteId,
        policyEvaluations: [...evaluations],
        createdAt: toTimestamp(createdAtMs),
      })),
    };
  },
);

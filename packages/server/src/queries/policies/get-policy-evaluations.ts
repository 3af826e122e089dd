import { queries } from '@countersign/contract';
import { toTimestamp } from '../../organizations/show.ts';
import { resolve } from '../../pipeline/query.ts';
import { seesDecisions } from '../../policies/show-decision.ts';
import { notFound } from '../../wire/refuse.ts';

export const getPolicyEvaluations = resolve(
  queries.getPolicyEvaluations,
  async ({ activities, organization, caller }, { activityId }) => {
    const record = await activities.get(organization.id, activityId);
    if (record === undefined) throw notFound('activity', 'activityId');
    const shown = seesDecisions(record, caller.organizationId);
    return {
      policyEvaluations: record.decisions.map(({ voteId, evaluations, createdAtMs }) => ({
        // One decision is made for each vote, so the vote's id names it.
        id: voteId,
        activityId,
        organizationId: organization.id,
        voteId,
        policyEvaluations: shown ? [...evaluations] : [],
        createdAt: toTimestamp(createdAtMs),
      })),
    };
  },
);

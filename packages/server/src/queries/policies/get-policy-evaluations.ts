import { queries } from '@countersign/contract';
import { seesDecisions } from '@countersign/judgement';
import { toTimestamp } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';

export const getPolicyEvaluations = resolve(
  queries.getPolicyEvaluations,
  async ({ activities, organization, caller }, { activityId }) => {
    const record = await activities.get(organization.id, activityId);
    if (record === undefined) throw notFound('activity', 'activityId');
    const shown = seesDecisions(record, caller.organizationId);
    return {
      policyEvaluations: record.decisions.map(({ voteId, evaluations, evaluatedCount, createdAtMs }) => ({
        // Each vote has exactly one decision, so the vote's id identifies the decision.
        id: voteId,
        activityId,
        organizationId: organization.id,
        voteId,
        policyEvaluations: shown ? evaluations.map(({ policyId, outcome }) => ({ policyId, outcome })) : [],
        ...(shown && evaluatedCount !== undefined && { evaluatedCount }),
        createdAt: toTimestamp(createdAtMs),
      })),
    };
  },
);

import { queries } from '@countersign/contract';
import { decidedBy, seesDecisions } from '@countersign/judgement';
import { policyNames } from '../../dialects/details-reader.ts';
import { toTimestamp } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';

export const getPolicyEvaluations = resolve(
  queries.getPolicyEvaluations,
  async ({ activities, organization, caller, detailsReader }, { activityId }) => {
    const record = await activities.get(organization.id, activityId);
    if (record === undefined) throw notFound('activity', 'activityId');
    const shown = seesDecisions(record, caller.organizationId);
    const nameOf = policyNames(organization, record, detailsReader) ?? (() => undefined);
    return {
      policyEvaluations: record.decisions.map((decision) => ({
        // Each vote has exactly one decision, so the vote's id identifies the decision.
        id: decision.voteId,
        activityId,
        organizationId: organization.id,
        voteId: decision.voteId,
        policyEvaluations: shown ? decision.evaluations.map(({ policyId, outcome }) => ({ policyId, outcome })) : [],
        ...(shown && decision.evaluatedCount !== undefined && { evaluatedCount: decision.evaluatedCount }),
        createdAt: toTimestamp(decision.createdAtMs),
        ...(shown && { decidedBy: decidedBy(decision, nameOf) }),
      })),
    };
  },
);

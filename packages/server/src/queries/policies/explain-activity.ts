import { queries } from '@countersign/contract';
import { seesDecisions, showExplained, showOutcome } from '@countersign/judgement';
import { toTimestamp } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';

export const explainActivity = resolve(queries.explainActivity, async (context, { activityId }) => {
  const { activities, organization, caller, explanations, endSlice } = context;
  const record = await activities.get(organization.id, activityId);
  if (record === undefined) throw notFound('activity', 'activityId');
  const isShown = seesDecisions(record, caller.organizationId);
  const explained = isShown ? await explanations.explain(organization, record, endSlice) : undefined;
  return {
    decisions: record.decisions.map((decision) => ({
      voteId: decision.voteId,
      createdAt: toTimestamp(decision.createdAtMs),
      ...(isShown ? showExplained(decision, explained?.get(decision.voteId)) : showOutcome(decision)),
    })),
  };
});

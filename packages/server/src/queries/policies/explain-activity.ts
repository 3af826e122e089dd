import { queries } from '@countersign/contract';
import { seesDecisions, showExplained, showOutcome } from '@countersign/judgement';
import { maskExplanation } from '../../dialects/redaction.ts';
import { toTimestamp } from '../../organizations/views.ts';
import { resolveScoped } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';
import { requireOwnActivity } from '../own.ts';

export const explainActivity = resolveScoped(queries.explainActivity, {
  async all(context, { activityId }) {
    const { activities, organization, caller, explanations, endSlice } = context;
    const record = await activities.get(organization.id, activityId);
    if (record === undefined) throw notFound('activity', 'activityId');
    const isShown = seesDecisions(record, caller.organizationId);
    const explained = isShown ? await explanations.explain(organization, record, endSlice) : undefined;
    return {
      decisions: record.decisions.map((decision) => ({
        voteId: decision.voteId,
        createdAt: toTimestamp(decision.createdAtMs),
        ...(isShown ? maskExplanation(record, showExplained(decision, explained?.get(decision.voteId))) : showOutcome(decision)),
      })),
    };
  },

  /** SECURITY: D322: an explanation quotes the policies. A user who may not read them could submit anything, be denied, and read why. */
  async own(context, { activityId }) {
    const { decisions } = await requireOwnActivity(context, queries.explainActivity, activityId);
    return {
      decisions: decisions.map((decision) => ({
        voteId: decision.voteId,
        createdAt: toTimestamp(decision.createdAtMs),
        ...showOutcome(decision, 'users who may read ACTIVITY and POLICY see how this was decided'),
      })),
    };
  },
});

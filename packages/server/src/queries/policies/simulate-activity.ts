import { activityByType, queries } from '@countersign/contract';
import { CURRENT_RULES, showDecision, showExplained } from '@countersign/judgement';
import { resolve } from '../../pipeline/query.ts';
import { invalidField, notFound } from '../../wire/refuse.ts';

export const simulateActivity = resolve(queries.simulateActivity, async (context, input) => {
  const { type, parameters, approverIds, explain = false } = input;
  const { organization, caller } = context;
  const known = activityByType.get(type);
  if (known === undefined || known.definition.subject === 'consensus')
    throw invalidField('type', 'is not an activity type that policies decide on');
  const ids = approverIds ?? [caller.userId];
  for (const [index, id] of ids.entries()) {
    if (!organization.users.has(id)) throw notFound('user', `approverIds.${index}`);
  }
  if (ids.length === 0) throw invalidField('approverIds', 'must name at least the submitter');
  const { decision, explanation, parsed } = await context.simulate({ ...known, parameters, isExplained: explain }, ids);
  return {
    decision: showExplained(showDecision(decision, { rules: CURRENT_RULES }), explanation),
    ...(parsed && { description: parsed.description, parsed }),
  };
});

import { type MfaStatusShape, queries } from '@countersign/contract';
import { CURRENT_RULES, mfaStatesOf } from '@countersign/judgement';
import { submittedActivity } from '../../organizations/activities/submitted-activity.ts';
import { type QueryContext, resolveScoped } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';
import { requireOwnActivity, requireSelf } from '../own.ts';

export const getMfaStatus = resolveScoped(queries.getMfaStatus, {
  all: show,
  async own(context, { activityId, userId = context.caller.userId }) {
    await requireOwnActivity(context, queries.getMfaStatus, activityId);
    return show(context, { activityId, userId: requireSelf(context, queries.getMfaStatus, userId) });
  },
});

interface Asked {
  readonly activityId: string;
  readonly userId?: string | undefined;
}

async function show(context: QueryContext, { activityId, userId }: Asked) {
  const { activities, organization, snapshots, caller, nowMs } = context;
  const record = await activities.get(organization.id, activityId);
  if (record === undefined) throw notFound('activity', 'activityId');
  const { judgedBy = organization.id, votes } = record;
  // SECURITY: users of a sub-organization must not see which methods the users of its parent have to use.
  const mayKnow = judgedBy === organization.id || judgedBy === caller.organizationId;
  const home = mayKnow ? await snapshots.current(judgedBy) : undefined;
  if (home === undefined) return { mfaStatuses: [] };
  if (userId !== undefined && !home.users.has(userId)) throw notFound('user', 'userId');
  const { definition, version, params } = submittedActivity(record);
  const approvable = { rules: CURRENT_RULES, organization: home, definition, type: version.type, params, votes, nowMs };
  const users = userId === undefined ? [...new Set(votes.map((vote) => vote.userId))] : [userId];
  const mfaStatuses = users.flatMap((each) =>
    mfaStatesOf(approvable, each).map(
      ({ mfaPolicyId, policy, satisfied, satisfiedMethods }): MfaStatusShape => ({
        mfaPolicyId,
        userId: each,
        satisfied,
        satisfiedMethods: [...satisfiedMethods],
        requiredMethods: policy.requiredAuthenticationMethods.map(({ any }) => ({ any: [...any] })),
      }),
    ),
  );
  return { mfaStatuses };
}

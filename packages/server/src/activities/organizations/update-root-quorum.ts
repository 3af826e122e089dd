import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { invalidField, notFound, requireDistinct } from '../../wire/refuse.ts';
import { requireQuorumInReach } from '../quorum-in-reach.ts';

export const updateRootQuorum = execute(activities.updateRootQuorum, {
  locksOrganization: true,

  contextChange: (_context, rootQuorum) => ({ rootQuorum }),

  async plan({ organization, nowMs }, params) {
    const { threshold, userIds } = params;
    for (const [index, id] of userIds.entries()) {
      if (!organization.users.has(id)) throw notFound('user', `userIds.${index}`);
    }
    requireDistinct(userIds, 'user', 'userIds');
    if (threshold > userIds.length) throw invalidField('threshold', `must be at most ${userIds.length}, the number of users`);
    requireQuorumInReach(organization, { threshold, userIds }, nowMs);
    return { intent: params, subject: {}, prepared: { threshold, userIds } };
  },

  async run({ organization, nowMs }, { prepared: rootQuorum }) {
    const body = { ...organization.profile, rootQuorum, updatedAtMs: nowMs };
    return { result: {}, changes: [{ op: 'putRecord', kind: 'organization', id: organization.id, body }] };
  },
});

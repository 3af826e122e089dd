import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { fingerprint } from '../../shapes/primitives.ts';

const params = z.strictObject({ fingerprint });

export const approveActivity = defineActivity({
  name: 'approveActivity',
  path: 'approve_activity',
  subject: 'consensus',
  summary: 'Approve a pending activity. The response is that activity',
  policy: { resource: 'ACTIVITY', action: 'UPDATE' },
  type: 'ACTIVITY_TYPE_APPROVE_ACTIVITY',
  spec: 'types',
  parentMayAct: true,
  vote: 'VOTE_SELECTION_APPROVED',
  params,
  intent: params,
  result: z.object({}),
});

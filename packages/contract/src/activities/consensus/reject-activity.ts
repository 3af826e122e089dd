import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { fingerprint } from '../../shapes/primitives.ts';

const params = z.strictObject({ fingerprint });

export const rejectActivity = defineActivity({
  name: 'rejectActivity',
  path: 'reject_activity',
  subject: 'consensus',
  summary: 'Reject a pending activity. The response is that activity',
  policy: { resource: 'ACTIVITY', action: 'UPDATE' },
  type: 'ACTIVITY_TYPE_REJECT_ACTIVITY',
  spec: 'types',
  parentMayAct: true,
  vote: 'VOTE_SELECTION_REJECTED',
  params,
  intent: params,
  result: z.object({}),
});

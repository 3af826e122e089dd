import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { idList } from '../../shapes/primitives.ts';

const params = z.strictObject({
  threshold: z.int().min(1, 'quorum threshold must be non-zero integer').max(1000),
  userIds: idList,
});

export const updateRootQuorum = defineActivity({
  name: 'updateRootQuorum',
  path: 'update_root_quorum',
  subject: 'organizations',
  summary: 'Set the root users and how many of them must approve',
  policy: { resource: 'ORGANIZATION', action: 'UPDATE' },
  rootQuorumOnly: true,
  type: 'ACTIVITY_TYPE_UPDATE_ROOT_QUORUM',
  spec: 'types',
  params,
  intent: params,
  result: z.object({}),
});

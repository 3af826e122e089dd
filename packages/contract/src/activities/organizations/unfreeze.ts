import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { frozenObjects } from '../../shapes/freezes.ts';

const params = z.strictObject(frozenObjects);

export const unfreeze = defineActivity({
  name: 'unfreeze',
  path: 'unfreeze',
  subject: 'organizations',
  summary: 'End freezes. Only the root quorum may do this, and the votes of its frozen members count',
  policy: { resource: 'FREEZE', action: 'DELETE' },
  rootQuorumOnly: true,
  type: 'ACTIVITY_TYPE_UNFREEZE',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ unfrozenIds: z.array(z.string()), notFrozenIds: z.array(z.string()) }),
});

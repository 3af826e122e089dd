import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { frozenObjects } from '../../shapes/freezes.ts';
import { label } from '../../shapes/primitives.ts';

const params = z.strictObject({ ...frozenObjects, reason: label.describe('Why, for everyone who is stopped by it') });

export const freeze = defineActivity({
  name: 'freeze',
  path: 'freeze',
  subject: 'organizations',
  summary: 'Suspend the organization, users, wallets or keys immediately. One root user is enough',
  policy: { resource: 'FREEZE', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_FREEZE',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ frozenIds: z.array(z.string()), alreadyFrozenIds: z.array(z.string()) }),
});

import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { id } from '../../shapes/primitives.ts';

const params = z.strictObject({ velocityControlId: id });

export const resetVelocityControl = defineActivity({
  name: 'resetVelocityControl',
  path: 'reset_velocity_control',
  subject: 'policies',
  summary: 'Reset all counters of a spending limit',
  policy: { resource: 'VELOCITY_CONTROL', action: 'UPDATE' },
  rootQuorumOnly: true,
  type: 'ACTIVITY_TYPE_RESET_VELOCITY_CONTROL',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ velocityControlId: z.string() }),
});

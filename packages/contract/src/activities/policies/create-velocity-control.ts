import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { velocityControlFields } from '../../shapes/velocity-controls.ts';

const params = z.strictObject(velocityControlFields);

export const createVelocityControl = defineActivity({
  name: 'createVelocityControl',
  path: 'create_velocity_control',
  subject: 'policies',
  summary: 'Create a spending limit, which policies refer to as `controls.<identifier>`',
  policy: { resource: 'VELOCITY_CONTROL', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_CREATE_VELOCITY_CONTROL',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ velocityControlId: z.string() }),
});

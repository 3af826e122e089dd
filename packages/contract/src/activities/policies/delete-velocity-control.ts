import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { id } from '../../shapes/primitives.ts';

const params = z.strictObject({ velocityControlId: id });

export const deleteVelocityControl = defineActivity({
  name: 'deleteVelocityControl',
  path: 'delete_velocity_control',
  subject: 'policies',
  summary: 'Delete a spending limit that no policy refers to',
  policy: { resource: 'VELOCITY_CONTROL', action: 'DELETE' },
  type: 'ACTIVITY_TYPE_DELETE_VELOCITY_CONTROL',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ velocityControlId: z.string() }),
});

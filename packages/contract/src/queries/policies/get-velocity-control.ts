import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { id, organizationId } from '../../shapes/primitives.ts';
import { velocityControl } from '../../shapes/velocity-controls.ts';

export const getVelocityControl = defineQuery({
  name: 'getVelocityControl',
  path: 'get_velocity_control',
  subject: 'policies',
  summary: 'Get a spending limit: the used and remaining amounts, and when they free up',
  reads: { resources: ['VELOCITY_CONTROL'] },
  input: z.strictObject({ organizationId, velocityControlId: id }),
  output: z.object({ velocityControl }),
});

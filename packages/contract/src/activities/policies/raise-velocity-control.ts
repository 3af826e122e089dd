import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { id } from '../../shapes/primitives.ts';
import { controlThreshold } from '../../shapes/velocity-controls.ts';

const params = z.strictObject({
  velocityControlId: id,
  newThreshold: controlThreshold.describe('The temporary threshold, above the current one'),
  until: z
    .string()
    .regex(/^[1-9]\d{12,13}$/, 'must be a time in milliseconds since 1970, as a string')
    .describe('When the raise ends, in milliseconds since 1970, at most 366 days from now'),
});

export const raiseVelocityControl = defineActivity({
  name: 'raiseVelocityControl',
  path: 'raise_velocity_control',
  subject: 'policies',
  summary: 'Raise the threshold of a spending limit until a given time',
  policy: { resource: 'VELOCITY_CONTROL', action: 'UPDATE' },
  rootQuorumOnly: true,
  type: 'ACTIVITY_TYPE_RAISE_VELOCITY_CONTROL',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ velocityControlId: z.string() }),
});

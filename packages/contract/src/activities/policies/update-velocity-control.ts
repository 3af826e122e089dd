import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { policyMarks } from '../../policy-view/marks.ts';
import { id, label } from '../../shapes/primitives.ts';
import {
  controlIdentifier,
  controlOperator,
  controlOtherAssets,
  controlRules,
  controlThreshold,
  controlWindow,
} from '../../shapes/velocity-controls.ts';

const params = z.strictObject({
  velocityControlId: id,
  name: label.optional().register(policyMarks, { resolved: 'the name that the control has' }),
  identifier: controlIdentifier
    .optional()
    .register(policyMarks, { resolved: 'the identifier that the control has' })
    .describe('Rejected while a policy refers to the control'),
  operator: controlOperator.optional().register(policyMarks, { resolved: 'the operator that the control has' }),
  newThreshold: controlThreshold.optional().register(policyMarks, { resolved: 'the threshold that the control has' }),
  otherAssets: controlOtherAssets
    .optional()
    .register(policyMarks, { resolved: 'what the control says about other assets' })
    .describe('Only for controls that count transfers'),
  controlRules: controlRules.optional().register(policyMarks, { resolved: 'the rules by which the control counts' }),
  window: controlWindow.optional().register(policyMarks, { resolved: 'the window that the control has' }),
});

export const updateVelocityControl = defineActivity({
  name: 'updateVelocityControl',
  path: 'update_velocity_control',
  subject: 'policies',
  summary: 'Change a spending limit. Its counters and omitted fields stay the same',
  policy: { resource: 'VELOCITY_CONTROL', action: 'UPDATE' },
  type: 'ACTIVITY_TYPE_UPDATE_VELOCITY_CONTROL',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ velocityControlId: z.string() }),
});

import { activities } from '@countersign/contract';
import { reset } from '@countersign/judgement';
import { execute } from '../../pipeline/plan/executor.ts';
import { requireControl } from './velocity-controls.ts';

export const resetVelocityControl = execute(activities.resetVelocityControl, {
  locksOrganization: true,

  async ruleChange({ organization, nowMs }, { velocityControlId: id }) {
    return { controls: new Map([[id, reset(requireControl(organization, id), nowMs)]]) };
  },

  async plan({ organization, nowMs }, params) {
    const { velocityControlId: id } = params;
    return { intent: params, subject: {}, prepared: { id, body: reset(requireControl(organization, id), nowMs) } };
  },

  async run(_context, { prepared: { id, body } }) {
    return { result: { velocityControlId: id }, changes: [{ op: 'putRecord', kind: 'velocityControl', id, body }] };
  },
});

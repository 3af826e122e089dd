import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { requireControl, requireUnnamed } from './velocity-controls.ts';

export const deleteVelocityControl = execute(activities.deleteVelocityControl, {
  locksOrganization: true,

  async ruleChange({ organization }, { velocityControlId: id }) {
    requireControl(organization, id);
    return { controls: new Map([[id, undefined]]) };
  },

  async plan({ organization }, params) {
    const { velocityControlId: id } = params;
    requireUnnamed(organization, requireControl(organization, id), 'velocityControlId');
    return { intent: params, subject: {}, prepared: id };
  },

  async run(_context, { prepared: id }) {
    return { result: { velocityControlId: id }, changes: [{ op: 'deleteRecord', kind: 'velocityControl', id }] };
  },
});

import { activities } from '@countersign/contract';
import { raised } from '@countersign/judgement';
import { execute } from '../../pipeline/plan/executor.ts';
import { orRefuse, requireControl } from './velocity-controls.ts';

export const raiseVelocityControl = execute(activities.raiseVelocityControl, {
  locksOrganization: true,

  async ruleChange({ organization, nowMs }, params) {
    const { velocityControlId: id } = params;
    return { controls: new Map([[id, orRefuse(() => raised(requireControl(organization, id), params, nowMs))]]) };
  },

  async plan({ organization, nowMs }, params) {
    const { velocityControlId: id } = params;
    const stored = requireControl(organization, id);
    return { intent: params, subject: {}, prepared: { id, body: orRefuse(() => raised(stored, params, nowMs)) } };
  },

  async run(_context, { prepared: { id, body } }) {
    return { result: { velocityControlId: id }, changes: [{ op: 'putRecord', kind: 'velocityControl', id, body }] };
  },
});

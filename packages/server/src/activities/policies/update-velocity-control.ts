import { activities } from '@countersign/contract';
import { updated } from '@countersign/judgement';
import { execute } from '../../pipeline/plan/executor.ts';
import { orRefuse, requireControl, requireFree, requireUnnamed } from './velocity-controls.ts';

export const updateVelocityControl = execute(activities.updateVelocityControl, {
  locksOrganization: true,

  async ruleChange({ organization, nowMs }, { velocityControlId: id, ...update }) {
    const stored = requireControl(organization, id);
    return { controls: new Map([[id, orRefuse(() => updated(stored, update, nowMs))]]) };
  },

  async plan({ organization, nowMs }, params) {
    const { velocityControlId: id, ...update } = params;
    const stored = requireControl(organization, id);
    requireFree(organization, update, id);
    if (update.identifier !== undefined && update.identifier !== stored.identifier)
      requireUnnamed(organization, stored, 'identifier');
    const body = orRefuse(() => updated(stored, update, nowMs));
    const { name, identifier, aggregation, rules, dataSource } = body;
    const { otherAssets } = dataSource.chainAssetTransfer ?? {};
    const { operator, threshold = '', window } = aggregation;
    const parameters = () => ({
      name,
      identifier,
      newThreshold: threshold,
      window,
      ...(operator !== undefined && { operator }),
      ...(otherAssets !== undefined && { otherAssets }),
      ...(rules !== undefined && { controlRules: rules }),
    });
    return { intent: params, subject: { parameters }, prepared: { id, body } };
  },

  async run(_context, { prepared: { id, body } }) {
    return { result: { velocityControlId: id }, changes: [{ op: 'putRecord', kind: 'velocityControl', id, body }] };
  },
});

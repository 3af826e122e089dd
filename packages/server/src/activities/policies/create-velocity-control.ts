import { activities } from '@countersign/contract';
import { readDefinition, tokenListOf } from '@countersign/judgement';
import { execute } from '../../pipeline/plan/executor.ts';
import { limitExceeded } from '../../wire/refuse.ts';
import { orRefuse, requireFree } from './velocity-controls.ts';

export const createVelocityControl = execute(activities.createVelocityControl, {
  locksOrganization: true,

  async ruleChange({ organization, nowMs }, params) {
    const { name, identifier } = params;
    requireFree(organization, params);
    const definition = orRefuse(() => readDefinition(params, tokenListOf(organization.records.token)));
    const record = { name, identifier, ...definition, epoch: 0, createdAtMs: nowMs, updatedAtMs: nowMs };
    return { controls: new Map([[`new:${identifier}`, record]]) };
  },

  async plan({ organization, limits, nowMs }, params) {
    const { velocityControl, token } = organization.records;
    if (velocityControl.size + 1 > limits.maxVelocityControls)
      throw limitExceeded('velocity controls', limits.maxVelocityControls, 'maxVelocityControls');
    requireFree(organization, params);
    const { rules, ...definition } = orRefuse(() => readDefinition(params, tokenListOf(token)));
    const { name, identifier } = params;
    const intent = { name, identifier, ...definition };
    // SECURITY: an asset has several spellings. Policies about this activity see the canonical one.
    return {
      intent,
      subject: { parameters: () => intent },
      prepared: { ...intent, rules, epoch: 0, createdAtMs: nowMs, updatedAtMs: nowMs },
    };
  },

  async run({ newId }, { prepared: body }) {
    const id = newId();
    return { result: { velocityControlId: id }, changes: [{ op: 'putRecord', kind: 'velocityControl', id, body }] };
  },
});

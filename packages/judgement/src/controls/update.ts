import type { ControlOtherAssets, ControlWindowShape } from '@countersign/contract';
import { byCurrentRules, ControlProblem, requireWhole, requireWindow } from './definition.ts';
import type { VelocityControlRecord } from './record.ts';

/** The fields of a control that may change. The counted assets and the groups are fixed, because earlier counts would change their meaning. */
export interface ControlUpdate {
  readonly name?: string | undefined;
  readonly identifier?: string | undefined;
  readonly operator?: VelocityControlRecord['aggregation']['operator'];
  readonly newThreshold?: string | undefined;
  readonly window?: ControlWindowShape | undefined;
  /** Also switches to the current rules. */
  readonly otherAssets?: ControlOtherAssets | undefined;
  readonly controlRules?: 2 | undefined;
}

/** Updates a control. A new threshold ends a raise. Throws ControlProblem. */
export function updated(control: VelocityControlRecord, update: ControlUpdate, nowMs: number): VelocityControlRecord {
  const { name, identifier, operator, newThreshold: threshold, window, otherAssets, controlRules } = update;
  if ([name, identifier, operator, threshold, window, otherAssets, controlRules].every((each) => each === undefined))
    throw new ControlProblem(
      'velocityControlId',
      'is all that was given: give name, identifier, operator, newThreshold, window, otherAssets or controlRules as well',
    );
  const { aggregation, raise, ...rest } = control;
  for (const field of ['operator', 'newThreshold'] as const) {
    if (update[field] !== undefined && aggregation.operator === undefined)
      throw new ControlProblem(field, 'must be left out: the method of the control is FIRST, which compares nothing');
  }
  requireWhole(aggregation.method, threshold, 'newThreshold');
  if (window !== undefined) requireWindow(window, 'window');
  return {
    ...rest,
    ...(raise !== undefined && threshold === undefined && { raise }),
    ...(name !== undefined && { name }),
    ...(identifier !== undefined && { identifier }),
    ...rulesAfter(control, update),
    aggregation: {
      ...aggregation,
      ...(operator !== undefined && { operator }),
      ...(threshold !== undefined && { threshold }),
      ...(window !== undefined && { window }),
    },
    updatedAtMs: nowMs,
  };
}

/** The parts that say by which rules a control counts. Nothing switches a control back to the first rules. */
function rulesAfter(
  control: VelocityControlRecord,
  { otherAssets, controlRules }: ControlUpdate,
): Partial<Pick<VelocityControlRecord, 'dataSource' | 'rules'>> {
  if (otherAssets === undefined && controlRules === undefined) return {};
  const { chainAssetTransfer: transfers } = control.dataSource;
  if (transfers === undefined && otherAssets !== undefined)
    throw new ControlProblem('otherAssets', 'must be left out: the control counts activities, not assets');
  const chosen = transfers && { ...transfers, ...(otherAssets !== undefined && { otherAssets }) };
  const dataSource = chosen === undefined ? control.dataSource : { chainAssetTransfer: chosen };
  const { dataSource: after, rules: current } = byCurrentRules({ dataSource, aggregation: control.aggregation });
  return { dataSource: after, rules: current };
}

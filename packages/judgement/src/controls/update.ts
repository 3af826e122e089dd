import type { ControlWindowShape } from '@countersign/contract';
import { ControlProblem, requireWhole, requireWindow } from './definition.ts';
import type { VelocityControlRecord } from './record.ts';

/** The fields of a control that may change. The data source and the groups are fixed, because earlier counts would change their meaning. */
export interface ControlUpdate {
  readonly name?: string | undefined;
  readonly identifier?: string | undefined;
  readonly operator?: VelocityControlRecord['aggregation']['operator'];
  readonly newThreshold?: string | undefined;
  readonly window?: ControlWindowShape | undefined;
}

/** Updates a control. A new threshold ends a raise. Throws ControlProblem. */
export function updated(control: VelocityControlRecord, update: ControlUpdate, nowMs: number): VelocityControlRecord {
  const { name, identifier, operator, newThreshold: threshold, window } = update;
  if ([name, identifier, operator, threshold, window].every((each) => each === undefined))
    throw new ControlProblem(
      'velocityControlId',
      'is all that was given: give name, identifier, operator, newThreshold or window as well',
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
    aggregation: {
      ...aggregation,
      ...(operator !== undefined && { operator }),
      ...(threshold !== undefined && { threshold }),
      ...(window !== undefined && { window }),
    },
    updatedAtMs: nowMs,
  };
}

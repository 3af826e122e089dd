import { parseDecimal } from './decimal.ts';
import { ControlProblem, requireWhole } from './definition.ts';
import type { VelocityControlRecord } from './record.ts';

/** The maximum duration of a raise. A permanent change is an update. */
const MAX_RAISE_MS = 366 * 24 * 60 * 60 * 1000;

/** Raises the threshold of a control until a time. Throws ControlProblem. */
export function raised(
  control: VelocityControlRecord,
  { newThreshold: threshold, until }: { readonly newThreshold: string; readonly until: string },
  nowMs: number,
): VelocityControlRecord {
  const { method, operator, threshold: current } = control.aggregation;
  if (operator === undefined || current === undefined || !operator.includes('LESS_THAN'))
    throw new ControlProblem(
      'velocityControlId',
      'is not a limit that can be raised: its operator is not LESS_THAN or LESS_THAN_OR_EQUAL',
    );
  requireWhole(method, threshold, 'newThreshold');
  if (parseDecimal(threshold) <= parseDecimal(current))
    throw new ControlProblem('newThreshold', `must be above the threshold that the control has: ${current}`);
  const untilMs = Number(until);
  if (untilMs <= nowMs) throw new ControlProblem('until', 'must be in the future');
  if (untilMs > nowMs + MAX_RAISE_MS) throw new ControlProblem('until', 'must be at most 366 days from now');
  return { ...control, raise: { threshold, untilMs }, updatedAtMs: nowMs };
}

/** Resets a control: its earlier buckets no longer count. */
export function reset(control: VelocityControlRecord, nowMs: number): VelocityControlRecord {
  return { ...control, epoch: control.epoch + 1, updatedAtMs: nowMs };
}

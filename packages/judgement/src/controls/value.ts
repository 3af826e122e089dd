import type { ControlOperator } from '@countersign/contract';
import type { Count, Counted } from './amounts.ts';
import { parseDecimal } from './decimal.ts';
import { type Comparison, modelOf } from './model.ts';
import type { VelocityControlRecord } from './record.ts';
import type { Usage, UsageByBucket } from './usage.ts';

/** The value of a control, or the reason why it has none, as the end of a sentence. */
export type ControlValue = boolean | { readonly unread: string };

type Compare = (aggregate: bigint, threshold: bigint) => boolean;

const compare: Readonly<Record<ControlOperator, Compare>> = {
  VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN: (aggregate, threshold) => aggregate < threshold,
  VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL: (aggregate, threshold) => aggregate <= threshold,
  VELOCITY_CONTROL_AGGREGATION_OPERATOR_EQUAL: (aggregate, threshold) => aggregate === threshold,
  VELOCITY_CONTROL_AGGREGATION_OPERATOR_GREATER_THAN_OR_EQUAL: (aggregate, threshold) => aggregate >= threshold,
  VELOCITY_CONTROL_AGGREGATION_OPERATOR_GREATER_THAN: (aggregate, threshold) => aggregate > threshold,
};

/** The comparison of a control at a time, including a raise by the root quorum. Undefined for FIRST. */
export function comparisonAt(control: VelocityControlRecord, nowMs: number): Comparison | undefined {
  const { comparison } = modelOf(control);
  const { raise } = control;
  if (comparison === undefined || raise === undefined || nowMs >= raise.untilMs) return comparison;
  return { ...comparison, threshold: parseDecimal(raise.threshold) };
}

/**
 * The value of `controls.<identifier>` for a request: whether the aggregate including this request meets the comparison of the control.
 * With several buckets, "at most" must hold in all of them and "more than" in any, so that one is the negation of the other. FIRST is true
 * if one of the buckets that the request adds to was empty.
 * SECURITY: there is no value if the usage of a bucket was not read, or if the request may move more than was parsed.
 */
export function controlValue(
  { control, counts, unread }: Counted,
  usages: UsageByBucket | undefined,
  nowMs: number,
): ControlValue {
  if (unread !== undefined) return { unread };
  const [only] = counts;
  if (counts.length === 1 && only !== undefined) return valueInBucket(control, only, usages?.get(only.bucket), nowMs);
  const used: bigint[] = [];
  for (const { bucket } of counts) {
    const usage = usages?.get(bucket);
    if (usage === undefined) return notRead;
    used.push(usage.used);
  }
  const comparison = comparisonAt(control, nowMs);
  if (comparison === undefined) return counts.some(({ amount }, index) => amount > 0n && used[index] === 0n);
  const { operator, threshold } = comparison;
  const holds = counts.map(({ amount }, index) => compare[operator]((used[index] ?? 0n) + amount, threshold));
  return isAny(operator) ? holds.includes(true) : !holds.includes(false);
}

function valueInBucket(control: VelocityControlRecord, { amount }: Count, usage: Usage | undefined, nowMs: number): ControlValue {
  if (usage === undefined) return notRead;
  const comparison = comparisonAt(control, nowMs);
  if (comparison === undefined) return amount > 0n && usage.used === 0n;
  return compare[comparison.operator](usage.used + amount, comparison.threshold);
}

const notRead: ControlValue = { unread: 'its usage was not read' };

function isAny(operator: ControlOperator): boolean {
  return operator.includes('GREATER_THAN');
}

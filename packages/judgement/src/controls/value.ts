import type { ControlOperator } from '@countersign/contract';
import type { Count, Counted } from './amounts.ts';
import { parseDecimal } from './decimal.ts';
import { type Comparison, modelOf } from './model.ts';
import type { VelocityControlRecord } from './record.ts';
import type { Usage, UsageByBucket } from './usage.ts';

/** The value of a control, or why it has none, as the end of a sentence. */
export type ControlValue = boolean | { readonly unread: string };

type Compare = (aggregate: bigint, threshold: bigint) => boolean;

const compare: Readonly<Record<ControlOperator, Compare>> = {
  VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN: (aggregate, threshold) => aggregate < threshold,
  VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL: (aggregate, threshold) => aggregate <= threshold,
  VELOCITY_CONTROL_AGGREGATION_OPERATOR_EQUAL: (aggregate, threshold) => aggregate === threshold,
  VELOCITY_CONTROL_AGGREGATION_OPERATOR_GREATER_THAN_OR_EQUAL: (aggregate, threshold) => aggregate >= threshold,
  VELOCITY_CONTROL_AGGREGATION_OPERATOR_GREATER_THAN: (aggregate, threshold) => aggregate > threshold,
};

/** The comparison of a control at a time, with the threshold that the root quorum may have raised. Undefined for FIRST. */
export function comparisonAt(control: VelocityControlRecord, nowMs: number): Comparison | undefined {
  const { comparison } = modelOf(control);
  const { raise } = control;
  if (comparison === undefined || raise === undefined || nowMs >= raise.untilMs) return comparison;
  return { ...comparison, threshold: parseDecimal(raise.threshold) };
}

/**
 * What `controls.<identifier>` is for a request: whether the aggregate with this request included compares as the control says.
 * With several buckets, "at most" must hold in every one, and "more than" in any: one is the opposite of the other. FIRST is true
 * where one bucket had nothing before.
 * SECURITY: a bucket whose usage nobody read gives no value, and so does a request that may move more than was read.
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

import type { ControlUsageShape, VelocityControlShape } from '@countersign/contract';
import { comparisonAt, formatDecimal, groupOfBucket, limitSentence, type Usage, usageSentence } from '@countersign/judgement';
import type { VelocityControlRecord } from './records.ts';
import type { Snapshot } from './snapshot/snapshot.ts';
import { dates, toTimestamp } from './views.ts';

/** A control as queries show it, without an expired raise. */
export function showControl(
  organization: Snapshot,
  velocityControlId: string,
  record: VelocityControlRecord,
  nowMs: number,
): VelocityControlShape {
  const { name, identifier, dataSource, aggregation, raise, rules } = record;
  return {
    velocityControlId,
    organizationId: organization.id,
    name,
    dataSource,
    aggregation,
    ...dates(record),
    identifier,
    ...(rules !== undefined && { controlRules: rules }),
    text: limitSentence(record, organization),
    ...(raise !== undefined &&
      nowMs < raise.untilMs && { raise: { threshold: raise.threshold, until: toTimestamp(raise.untilMs) } }),
  };
}

/** The usage of a control in one bucket, as queries show it. */
export function showUsage(
  organization: Snapshot,
  control: VelocityControlRecord,
  usage: Usage,
  nowMs: number,
): ControlUsageShape {
  const { bucket, used, freesUp = [] } = usage;
  const threshold = comparisonAt(control, nowMs)?.threshold;
  return {
    group: groupOfBucket(bucket).key,
    used: formatDecimal(used),
    ...(threshold !== undefined && { left: formatDecimal(threshold > used ? threshold - used : 0n) }),
    freesUp: freesUp.map(({ amount, atMs }) => ({ amount: formatDecimal(amount), at: toTimestamp(atMs) })),
    text: usageSentence(control, usage, organization, nowMs),
  };
}

import type { Counted } from './counts.ts';
import { formatDecimal, parseDecimal } from './decimal.ts';
import type { NotedUsage, UsageByBucket } from './usage.ts';
import { comparisonAt } from './value.ts';

/** What a decision rested on: the usage of every bucket of the controls that policies name. Undefined where there is none. */
export function noteUsage(named: readonly Counted[], usages: UsageByBucket, nowMs: number): readonly NotedUsage[] | undefined {
  const noted = named.flatMap(({ controlId, control, counts }) => {
    const threshold = comparisonAt(control, nowMs)?.threshold;
    return counts.flatMap(({ bucket }) => {
      const usage = usages.get(bucket);
      if (usage === undefined) return [];
      const { used, revision } = usage;
      const limit = threshold === undefined ? {} : { threshold: formatDecimal(threshold) };
      return [{ control: controlId, bucket, used: formatDecimal(used), ...limit, revision }];
    });
  });
  return noted.length === 0 ? undefined : noted;
}

/** The usage that a decision noted, to judge again with. */
export function usageFrom(noted: readonly NotedUsage[]): UsageByBucket {
  return new Map(
    noted.map(({ control, bucket, used, revision }) => [bucket, { control, bucket, used: parseDecimal(used), revision }]),
  );
}

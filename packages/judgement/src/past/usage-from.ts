import { parseDecimal } from '../controls/decimal.ts';
import type { NotedUsage, Usage, UsageByBucket } from '../controls/usage.ts';

/** What a decision says that controls had counted, as a judgement takes it. */
export function usageFrom(noted: readonly NotedUsage[] | undefined): UsageByBucket | undefined {
  return noted && new Map(noted.map((each): [string, Usage] => [each.bucket, { ...each, used: parseDecimal(each.used) }]));
}

import type { Limits } from '../config/limits.ts';
import type { Snapshot } from '../organizations/snapshot.ts';
import type { Executor, Executors, PlanContext } from '../pipeline/executor.ts';

/** The limits of an organization: those of its tier where it activated one that still exists, else the operator's for all. */
export function limitsOf({ profile: { billingTier } }: Snapshot, limits: Limits): Limits {
  const tier = billingTier === undefined ? undefined : limits.billingTiers[billingTier];
  return tier === undefined ? limits : ({ ...limits, ...tier } as Limits);
}

/** The same executors, each under the limits of the organization it works for. */
export function withinLimits(executors: Executors): Executors {
  const bounded = Object.entries(executors as Record<string, Executor<never>>).map(([name, executor]) => [
    name,
    {
      ...executor,
      plan: (context: PlanContext, params: never) =>
        executor.plan({ ...context, limits: limitsOf(context.organization, context.limits) }, params),
    },
  ]);
  return Object.fromEntries(bounded) as Executors;
}

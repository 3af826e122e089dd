import { effectiveLimits } from '../organizations/effective-limits.ts';
import type { Executor, Executors, PlanContext } from '../pipeline/plan/executor.ts';

/** Applies the limits of the organization to each executor. */
export function withinLimits(executors: Executors): Executors {
  const bounded = Object.entries(executors as Record<string, Executor<never>>).map(([name, executor]) => [
    name,
    {
      ...executor,
      plan(context: PlanContext, params: never) {
        const limits = effectiveLimits(context.organization, context.limits);
        return executor.plan(limits === context.limits ? context : { ...context, limits }, params);
      },
    },
  ]);
  return Object.fromEntries(bounded) as Executors;
}

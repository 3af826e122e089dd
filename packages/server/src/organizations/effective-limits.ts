import type { Limits } from '../config/limits.ts';
import type { Snapshot } from './snapshot/snapshot.ts';

/** The limits of an organization: those of its active tier if that tier still exists, otherwise the operator's defaults. */
export function effectiveLimits({ profile: { billingTier } }: Snapshot, limits: Limits): Limits {
  const tier = billingTier === undefined ? undefined : limits.billingTiers[billingTier];
  return tier === undefined ? limits : ({ ...limits, ...tier } as Limits);
}

import type { Limits } from '../config/limits.ts';
import type { Snapshot } from './snapshot.ts';

/** The limits of an organization: those of its tier where it activated one that still exists, else the operator's for all. */
export function effectiveLimits({ profile: { billingTier } }: Snapshot, limits: Limits): Limits {
  const tier = billingTier === undefined ? undefined : limits.billingTiers[billingTier];
  return tier === undefined ? limits : ({ ...limits, ...tier } as Limits);
}

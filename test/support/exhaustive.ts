import type { Engine } from './installation.ts';

/**
 * Whether tests try every case (`npm run test:exhaustive`). Otherwise tests that repeat one check at very many points try some of them,
 * so that a run takes minutes.
 */
export const isExhaustive = process.env.COUNTERSIGN_TEST_EXHAUSTIVE === '1';

/** All points in an exhaustive run, otherwise every `step`th, from `first` on. */
export function someOf<T>(points: readonly T[], step: number, first = 0): readonly T[] {
  return isExhaustive ? points : points.filter((_, index) => index % step === first % step);
}

/** The engines of a slow test: both in an exhaustive run, otherwise one. Quick tests run on both, and the slow files share them out. */
export const slowEngines = (engine: Engine): readonly Engine[] => (isExhaustive ? ['sqlite', 'postgres'] : [engine]);

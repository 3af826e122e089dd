import type { PolicyCost } from '../../packages/policy/test/cost.ts';

/** The policy process answers any message with a new measurement of what decisions cost. */
export type FromPolicy =
  | { readonly kind: 'measured'; readonly costs: readonly PolicyCost[] }
  | { readonly kind: 'failed'; readonly message: string };

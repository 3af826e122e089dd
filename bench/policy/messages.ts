import type { PolicyCost } from '../../packages/policy/test/cost.ts';

/** What the policy process answers to any message: what decisions cost, measured anew. */
export type FromPolicy =
  | { readonly kind: 'measured'; readonly costs: readonly PolicyCost[] }
  | { readonly kind: 'failed'; readonly message: string };

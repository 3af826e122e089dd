/** A policy that is being written. Empty expressions mean: everything, and anybody. */
export interface Draft {
  readonly policyName: string;
  readonly effect: 'EFFECT_ALLOW' | 'EFFECT_DENY';
  readonly condition: string;
  readonly consensus: string;
  readonly notes: string;
}

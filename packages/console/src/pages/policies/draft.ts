/** A policy draft. Empty expressions mean every activity and anyone. */
export interface Draft {
  readonly policyName: string;
  readonly effect: 'EFFECT_ALLOW' | 'EFFECT_DENY';
  readonly condition: string;
  readonly consensus: string;
  readonly notes: string;
  /** The earlier version of the language in which it is stored. Absent for the current one. */
  readonly language?: number | undefined;
  /** When the policy applies. The console shows it and cannot set it: saving keeps it. */
  readonly time?: string | undefined;
  /** Whether the draft denies only to whom its consensus names, as a template says. */
  readonly keepsConsensus?: boolean;
}

import type { ProofOutcome } from '../../../prover/run-proof.ts';

export type Verdict = 'PROVEN' | 'REFUTED' | 'UNKNOWN';

/**
 * The verdict on all kinds of activity together: one counterexample refutes it, and one unknown leaves it open.
 * SECURITY: D1063: PROVEN only if there are results, and all of them are.
 */
export function verdictOf(outcome: ProofOutcome): Verdict {
  if (outcome.kind !== 'RESULTS') return 'UNKNOWN';
  const verdicts = outcome.results.map(({ verdict }) => verdict);
  if (verdicts.includes('REFUTED')) return 'REFUTED';
  return verdicts.length > 0 && verdicts.every((verdict) => verdict === 'PROVEN') ? 'PROVEN' : 'UNKNOWN';
}

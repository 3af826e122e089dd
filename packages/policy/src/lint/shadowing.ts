import { type ComparablePolicy, implies } from './implication.ts';
import { countsWherever, type ReadableQuery } from './reading.ts';
import type { PolicyWarning } from './warning.ts';

/** Warns if other policies make a policy ineffective. */
export function shadowing(
  subject: ComparablePolicy,
  all: readonly ComparablePolicy[],
  queries: readonly ReadableQuery[],
): readonly PolicyWarning[] {
  const { policy } = subject;
  for (const [position, other] of all.entries()) {
    if (other === subject || !implies(subject, other)) continue;
    // A policy that says nothing of reading does not count for queries, however wide it is.
    if (!countsWherever(other.policy, policy, queries)) continue;
    const related = [other.policy.id];
    if (policy.effect === 'EFFECT_ALLOW' && other.policy.effect === 'EFFECT_DENY') {
      const message = `policy ${other.policy.id} denies everything that this policy allows`;
      return [{ code: 'SHADOWED', policyId: policy.id, message, related }];
    }
    // If two policies are equivalent, warn about the later one.
    const same = other.policy.effect === policy.effect;
    if (same && (!implies(other, subject) || position < all.indexOf(subject))) {
      return [
        { code: 'REDUNDANT', policyId: policy.id, message: `policy ${other.policy.id} already covers everything in it`, related },
      ];
    }
  }
  return [];
}

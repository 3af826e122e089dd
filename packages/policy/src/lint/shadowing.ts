import { type ComparablePolicy, implies } from './implication.ts';
import type { PolicyWarning } from './warning.ts';

/** Warns if other policies make a policy ineffective. */
export function shadowing(subject: ComparablePolicy, all: readonly ComparablePolicy[]): readonly PolicyWarning[] {
  const { policy } = subject;
  for (const [position, other] of all.entries()) {
    if (other === subject || !implies(subject, other)) continue;
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

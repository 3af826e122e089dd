import { type ComparablePolicy, implies } from './implication.ts';
import type { PolicyWarning } from './warning.ts';

/** Warns when other policies leave a policy without effect. */
export function shadowing(subject: ComparablePolicy, all: readonly ComparablePolicy[]): readonly PolicyWarning[] {
  const { policy } = subject;
  for (const [position, other] of all.entries()) {
    if (other === subject || !implies(subject, other)) continue;
    const related = [other.policy.id];
    if (policy.effect === 'EFFECT_ALLOW' && other.policy.effect === 'EFFECT_DENY') {
      const message = `policy ${other.policy.id} denies everything that this policy allows`;
      return [{ code: 'SHADOWED', policyId: policy.id, message, related }];
    }
    // Of two policies that say the same, the warning is about the later one.
    const same = other.policy.effect === policy.effect;
    if (same && (!implies(other, subject) || position < all.indexOf(subject))) {
      return [
        { code: 'REDUNDANT', policyId: policy.id, message: `policy ${other.policy.id} already covers everything in it`, related },
      ];
    }
  }
  return [];
}

import type { CompiledPolicy } from '../policy.ts';
import type { PolicyWarning } from './warning.ts';

/**
 * Warns about quoted integers. They count as integers if the other side is an integer. If its type is known only at evaluation, a DENY does
 * not guess.
 */
export function quotedIntegers(policy: CompiledPolicy): readonly PolicyWarning[] {
  const denies = policy.effect === 'EFFECT_DENY';
  return (['condition', 'consensus', 'time'] as const).flatMap((field) =>
    (policy[field]?.quoted ?? []).map(({ span, value, dynamic }): PolicyWarning => {
      const base = { code: 'QUOTED_INTEGER', policyId: policy.id, field, span } as const;
      if (dynamic !== true)
        return { ...base, message: 'an integer in quotes is read as that integer', help: `write ${value} without quotes` };
      const message = denies
        ? 'an integer in quotes is a text here: this DENY denies wherever the other side is an integer'
        : 'an integer in quotes is read as that integer where the other side is one';
      return { ...base, message, help: `write ${value} without quotes if the other side is an integer` };
    }),
  );
}

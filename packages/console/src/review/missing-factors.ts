import type { OutputOf } from '@countersign/client';
import type { Queries } from '@countersign/contract';

type MfaStatus = OutputOf<Queries['getMfaStatus']>['mfaStatuses'][number];
export type Factor = MfaStatus['satisfiedMethods'][number];

const isSame = (a: Factor, b: Factor) => a.type === b.type && (a.id ?? '') === (b.id ?? '');

/** The steps of a person's MFA policies that no approval of theirs has met yet. Each step lists the factors that would meet it. */
export function missingFactors(statuses: readonly MfaStatus[]): readonly (readonly Factor[])[] {
  return statuses
    .filter(({ satisfied }) => !satisfied)
    .flatMap(({ requiredMethods, satisfiedMethods }) => {
      const left = [...satisfiedMethods];
      return requiredMethods.flatMap(({ any }) => {
        const met = left.findIndex((factor) => any.some((each) => isSame(each, factor)));
        if (met === -1) return [any];
        left.splice(met, 1);
        return [];
      });
    });
}

import type { EffectShape } from '@countersign/contract';

const compared = ['kind', 'amount', 'from', 'to', 'owner', 'fee', 'unlimited', 'permit', 'expires', 'bytes'] as const;

/** Whether two lists have the same effects. Labels and symbols may differ, amounts and addresses may not. */
export function sameEffects(own: readonly EffectShape[], others: readonly EffectShape[]): boolean {
  const key = (effect: EffectShape) => JSON.stringify([effect.asset?.id, ...compared.map((name) => effect[name] ?? null)]);
  return own.length === others.length && own.every((effect, index) => key(effect) === key(others[index] as EffectShape));
}

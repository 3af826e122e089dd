import { type Effect, formatUnits } from '@countersign/chains';
import type { EffectShape, ParsedShape } from '@countersign/contract';
import type { ParsedSubject, PolicySubject } from './subject.ts';

/** The content that people see: a transaction or typed message, also if it was sent as one raw payload. */
export function contentToShow({ parsed, raw }: Pick<PolicySubject, 'parsed' | 'raw'>): ParsedSubject | undefined {
  const [reading, ...others] = raw?.readings ?? [];
  return parsed ?? (raw?.isComplete === true && others.length === 0 ? reading?.parsed : undefined);
}

/** The parsed content as activities store and return it. Amounts are strings, because JSON numbers are exact only up to 2^53. */
export function showParsed({ description, fullyParsed, unparsed, effects }: ParsedSubject): ParsedShape {
  return { description, fullyParsed, unparsed: [...unparsed], effects: effects.map(showEffect) };
}

function showEffect(effect: Effect): EffectShape {
  const { kind, ...rest } = effect;
  const shown: Record<string, unknown> = { kind };
  for (const [name, value] of Object.entries(rest)) {
    if (value !== undefined && name !== 'movesNothing') shown[name] = typeof value === 'bigint' ? value.toString() : value;
  }
  if ('asset' in effect && effect.asset?.decimals !== undefined && effect.amount !== undefined)
    shown.units = formatUnits(effect.amount, effect.asset.decimals);
  return shown as EffectShape;
}

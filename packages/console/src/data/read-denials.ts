import { words } from '../words/index.ts';

/** Reasons in plain words, by activity type. */
export type Denials = ReadonlyMap<string, string>;

const texts: Readonly<Record<string, string>> = words.denials;
const none: Denials = new Map();

/**
 * The answer of `get_denied_activity_types`.
 * SECURITY: D1050: an answer of another form denies nothing, and its sentences are not shown.
 */
export function readDenials(answer: unknown): Denials {
  const { denials } = (answer ?? {}) as { readonly denials?: unknown };
  if (!Array.isArray(denials)) return none;
  const found = new Map<string, string>();
  for (const denial of denials) {
    const { by, types } = (denial ?? {}) as { readonly by?: unknown; readonly types?: unknown };
    const text = typeof by === 'string' && Object.hasOwn(texts, by) ? texts[by] : undefined;
    for (const type of Array.isArray(types) ? types : [])
      if (typeof type === 'string') found.set(type, text ?? words.unknownDenial);
  }
  return found;
}

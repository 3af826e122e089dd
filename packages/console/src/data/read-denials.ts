import { words } from '../words/index.ts';

/** Reasons in plain words, by activity type. */
type Reasons = ReadonlyMap<string, string>;

export interface Denials {
  /** Of all requests of a type. */
  readonly always: Reasons;
  /** Of requests about the credentials or sessions of others. */
  readonly aboutOthers: Reasons;
}

const texts: Readonly<Record<string, string>> = words.denials;

/**
 * The answer of `get_denied_activity_types`.
 * SECURITY: D1050: an answer of another form denies nothing, and its sentences are not shown.
 */
export function readDenials(answer: unknown): Denials {
  const { denials, denialsAboutOthers } = (answer ?? {}) as Readonly<Record<string, unknown>>;
  return { always: reasonsIn(denials), aboutOthers: reasonsIn(denialsAboutOthers) };
}

function reasonsIn(denials: unknown): Reasons {
  const found = new Map<string, string>();
  for (const denial of Array.isArray(denials) ? denials : []) {
    const { by, types } = (denial ?? {}) as { readonly by?: unknown; readonly types?: unknown };
    const text = typeof by === 'string' && Object.hasOwn(texts, by) ? texts[by] : undefined;
    for (const type of Array.isArray(types) ? types : [])
      if (typeof type === 'string') found.set(type, text ?? words.unknownDenial);
  }
  return found;
}

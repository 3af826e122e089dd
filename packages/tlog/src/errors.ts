/** Thrown for a text, a key, a tile or a number that this package refuses. The message says what is wrong. */
export class TlogError extends Error {
  override readonly name = 'TlogError';
}

/** The answer of a check. A check that fails says why, in one sentence, and does not throw. */
export type Verdict = { readonly ok: true } | { readonly ok: false; readonly reason: string };

export const passed: Verdict = Object.freeze({ ok: true });

export function failed(reason: string): Verdict {
  return { ok: false, reason };
}

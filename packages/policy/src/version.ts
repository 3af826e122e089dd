/**
 * A version of the language. A stored policy keeps its version, and with it its meaning.
 * 1: few parameters. The host adds what an ALLOW of it is restricted to.
 * 2: every parameter.
 * 3: comments, named constants, `not in`, `startsWith`, `has`, `tag` and `requester`. In an ALLOW, a parameter without a value is an error only
 * if it is read, and `approvers.all(…)` counts only the approvers who satisfy it.
 */
export type LanguageVersion = 1 | 2 | 3;

/** The version of new policies. */
export const LANGUAGE: LanguageVersion = 3;

const placeholder = /<[^<>']+>(?=')/g;

/**
 * The places of a template that are not filled in, such as `<hot wallet>`.
 * SECURITY: D809: a policy for such a place applies to nothing, so a DENY denies nothing.
 */
export function placeholdersIn(...texts: readonly string[]): readonly string[] {
  return [...new Set(texts.flatMap((text) => text.match(placeholder) ?? []))];
}

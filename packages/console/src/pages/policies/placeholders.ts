import type { Draft } from './draft.ts';

/** A comment, or a text between quotes. */
const commentOrText = /#[^\n]*|'(?:[^'\\\n]|\\.)*'/g;
const placeholder = /<[^<>]+>/g;

/**
 * The places of a template that are not filled in, such as `<hot wallet>`, also within a longer text.
 * SECURITY: D809: a policy for such a place applies to nothing, so a DENY denies nothing.
 */
export function placeholdersIn(...texts: readonly string[]): readonly string[] {
  const quoted = texts.flatMap((text) => text.match(commentOrText) ?? []).filter((found) => found.startsWith("'"));
  return [...new Set(quoted.flatMap((found) => found.match(placeholder) ?? []))];
}

/** What a place stands for. Undefined if the text has to be edited. */
export function kindOfPlace(place: string): 'tag' | 'wallet' | undefined {
  if (place.startsWith('<tag of ')) return 'tag';
  return place.endsWith(' wallet>') ? 'wallet' : undefined;
}

const id = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The draft with an id in a place. SECURITY: another text than an id could end its quotation and change the policy. */
export function fillPlace(draft: Draft, place: string, given: string): Partial<Draft> {
  if (!id.test(given)) return {};
  const filled = (text: string) =>
    text.replace(commentOrText, (found) => (found.startsWith("'") && found.slice(1, -1).trim() === place ? `'${given}'` : found));
  return { condition: filled(draft.condition), consensus: filled(draft.consensus) };
}

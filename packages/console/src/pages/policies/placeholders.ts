import type { Draft } from './draft.ts';

const placeholder = /<[^<>']+>(?=')/g;

/**
 * The places of a template that are not filled in, such as `<hot wallet>`.
 * SECURITY: D809: a policy for such a place applies to nothing, so a DENY denies nothing.
 */
export function placeholdersIn(...texts: readonly string[]): readonly string[] {
  return [...new Set(texts.flatMap((text) => text.match(placeholder) ?? []))];
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
  const [condition, consensus] = [draft.condition, draft.consensus].map((text) => text.replaceAll(`'${place}'`, `'${given}'`));
  return { condition, consensus } as Partial<Draft>;
}

/** Markup that is safe to render. Only `html` creates it. */
export class Html {
  readonly #text: string;

  /** Never pass untrusted text: use `html`, which escapes it. */
  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

type Part = string | number | Html | readonly Html[] | undefined;

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes text for use between tags and inside a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] as string);
}

/**
 * Builds markup from a template.
 * SECURITY: escapes every value except markup that `html` created, so that a caller cannot forget to escape.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = strings[0] ?? '';
  for (const [index, part] of parts.entries()) text += shown(part) + (strings[index + 1] ?? '');
  return new Html(text);
}

function shown(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.toString();
  if (typeof part === 'object') return part.map(String).join('');
  return escapeHtml(String(part));
}

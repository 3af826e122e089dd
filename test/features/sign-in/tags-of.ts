/** A tag that a browser would see in a document. */
export interface Tag {
  readonly name: string;
  readonly attributes: readonly string[];
}

const OPENING = /<([a-z][a-z0-9]*)((?:[^>"']|"[^"]*"|'[^']*')*)>/gi;
const ATTRIBUTE = /([^\s=/"']+)(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"']+))?/g;

/** Every opening tag of a document, with the names of its attributes. Respects quotes. */
export function tagsOf(document: string): Tag[] {
  const withoutStyle = document.replace(/<style>[^<]*<\/style>/g, '<style></style>');
  return [...withoutStyle.matchAll(OPENING)].map(([, name = '', rest = '']) => ({
    name: name.toLowerCase(),
    attributes: [...rest.matchAll(ATTRIBUTE)].map(([, attribute = '']) => attribute.toLowerCase()),
  }));
}

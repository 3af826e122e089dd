import { Document, Scalar, visit } from 'yaml';
import { escapeUnsafe, hasUnsafe } from '../terminal.ts';

/**
 * YAML for a terminal or a pipe. SECURITY: characters that a terminal obeys are escaped, which YAML only knows in double quotes. So are
 * tabs, which a terminal does not show as what they are; and a mark or a space at an edge would get lost outside of quotes.
 */
export function yamlText(value: unknown): string {
  const document = new Document(value ?? null, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'string' && (hasUnsafe(node.value) || /[\t\ufeff]|\s$/.test(node.value)))
        node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return escapeUnsafe(document.toString({ lineWidth: 0 })).trimEnd();
}

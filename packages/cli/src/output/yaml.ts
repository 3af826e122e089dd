import { Document, Scalar, visit } from 'yaml';
import { escapeUnsafe, hasUnsafe } from '../terminal.ts';

/**
 * YAML for a terminal or a pipe. SECURITY: control characters are escaped, which YAML supports only in double quotes. So are tabs, which a
 * terminal does not show, and combining marks or spaces at the edges, which would be lost without quotes.
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

import { type TextType, type Type, typeName } from '../types.ts';
import type { CheckContext } from './context.ts';
import type { Typed } from './typed.ts';

/**
 * The canonical beginning of texts of a type. Reports a literal that begins no value, or more values than it seems to, and returns undefined.
 */
export function prefixOf({ value, span, type: own }: Typed & { kind: 'constant' }, type: Type, context: CheckContext) {
  const { report } = context;
  if (typeof value !== 'string')
    return report('TYPE_MISMATCH', span, `this has type ${typeName(own)}, but a string literal is needed`);
  if (value === '') return report('UNKNOWN_LITERAL', span, 'every text begins with an empty one', 'write at least one character');
  if (type.kind === 'string') return textPrefix(value, type, span, context);
  // A dynamic value may be an address or bytes, which are in lower case, or a text, which is not.
  if (!/^0x/i.test(value) || value === value.toLowerCase()) return value;
  return report('UNKNOWN_LITERAL', span, 'hexadecimal values are in lower case', `write '${value.toLowerCase()}'`);
}

function textPrefix(value: string, type: TextType, span: Typed['span'], { options, report }: CheckContext) {
  if (type.form === 'asset') {
    // SECURITY: `eip155:1` also begins the assets of chain 10, so the name of the chain must be complete.
    if (/^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}\//.test(value)) return value.startsWith('eip155:') ? value.toLowerCase() : value;
    return report(
      'INVALID_ASSET',
      span,
      'this does not begin with a whole chain',
      `write it as 'eip155:1/' or 'eip155:1/erc20:'`,
    );
  }
  if (type.form !== undefined) return value.toLowerCase();
  const { vocabulary } = type;
  const words = vocabulary === undefined ? undefined : (options.vocabularies?.[vocabulary] ?? type.words);
  if (words === undefined || words.some((word) => word.startsWith(value))) return value;
  return report('UNKNOWN_LITERAL', span, `\`${vocabulary}\` never begins with '${value.slice(0, 80)}'`);
}

import type { Diagnostic } from '../diagnostic.ts';
import { chains } from '../schema/chains.ts';
import type { Span } from '../syntax/span.ts';
import { type AddressKind, addressKinds, type TextType, type Type } from '../types.ts';
import { assetTexts } from './asset.ts';
import type { CheckOptions, Normalizers, Vocabularies } from './options.ts';
import { didYouMean } from './suggest.ts';

/** The canonical texts of a string literal that is compared with a value of the type, or a diagnostic. */
export function literalTexts(text: string, type: Type, span: Span, options: CheckOptions): readonly string[] | Diagnostic {
  switch (type.kind) {
    case 'address':
      return type.also?.includes(text) === true ? [text] : addressTexts(text, type.chain, span, options.normalizers ?? {});
    case 'dynamic':
      return addressTexts(text, 'any', span, options.normalizers ?? {});
    case 'string':
      if (type.form === 'asset') return assetTexts(text, span, options.normalizers ?? {});
      if (type.form !== undefined) return [spelled(text, type.form, options.normalizers ?? {})];
      return wordTexts(text, type, span, options.vocabularies ?? {});
    default:
      return [text];
  }
}

function addressTexts(
  text: string,
  chain: AddressKind | 'any',
  span: Span,
  normalizers: Normalizers,
): readonly string[] | Diagnostic {
  if (chain !== 'any')
    return normalizers[chain] === undefined ? [text] : (formsOf(text, chain, normalizers) ?? invalidAddress(text, chain, span));
  // SECURITY: compared as plain text, a mistyped address would silently never match.
  const mistyped = addressKinds.find(
    (kind) =>
      chains[kind].address.shape?.test(text) === true &&
      normalizers[kind] !== undefined &&
      formsOf(text, kind, normalizers) === undefined,
  );
  if (mistyped !== undefined) return invalidAddress(text, mistyped, span);
  return [...new Set([text, ...addressKinds.flatMap((kind) => formsOf(text, kind, normalizers) ?? [])])];
}

/** The forms of an address of the chain. Undefined if the text is not such an address. */
function formsOf(text: string, chain: AddressKind, normalizers: Normalizers): readonly string[] | undefined {
  const forms = normalizers[chain]?.(text);
  return typeof forms === 'string' ? [forms] : forms;
}

function invalidAddress(text: string, chain: AddressKind, span: Span): Diagnostic {
  const message = `this is not a valid ${chain} address`;
  if (text === '') {
    const help = 'a transaction that creates a contract has no `to`, so no comparison with `to` is true';
    return { code: 'INVALID_ADDRESS', span, message, help };
  }
  const help = chains[chain].address.help?.(text);
  return help === undefined ? { code: 'INVALID_ADDRESS', span, message } : { code: 'INVALID_ADDRESS', span, message, help };
}

/** The canonical text of a literal. A literal that does not match the form is unchanged and equals no value. */
function spelled(text: string, form: NonNullable<TextType['form']>, normalizers: Normalizers): string {
  if (form === 'caseless') return text.toLowerCase();
  const hex = /^(?:0[xX])?[0-9a-fA-F]*$/.test(text) ? text.toLowerCase() : text;
  return form === 'p256' ? (normalizers.p256?.(hex) ?? hex) : hex;
}

function wordTexts(text: string, type: TextType, span: Span, vocabularies: Vocabularies): readonly string[] | Diagnostic {
  const { vocabulary } = type;
  if (vocabulary === undefined) return [text];
  const words = vocabularies[vocabulary] ?? type.words;
  if (words === undefined || words.includes(text)) return [text];
  const message = `\`${vocabulary}\` is never '${text.length > 80 ? `${text.slice(0, 80)}…` : text}'`;
  const help = didYouMean(text, words);
  return help === undefined ? { code: 'UNKNOWN_LITERAL', span, message } : { code: 'UNKNOWN_LITERAL', span, message, help };
}

import type { Diagnostic } from '../diagnostic.ts';
import { chains } from '../schema/chains.ts';
import type { Span } from '../syntax/span.ts';
import { type AddressKind, addressKinds, type TextType, type Type } from '../types.ts';
import { assetTexts } from './asset.ts';
import type { CheckOptions, Normalizers } from './options.ts';
import { didYouMean } from './suggest.ts';

/** The canonical texts of a string literal that is compared with a value of the type, or a diagnostic. */
export function literalTexts(text: string, type: Type, span: Span, options: CheckOptions): readonly string[] | Diagnostic {
  switch (type.kind) {
    case 'address':
      if (type.also?.includes(text) === true) return [text];
      return type.always === true && options.isAddress?.(text) === false
        ? noAddress(text, span, options)
        : addressTexts(text, type.chain, span, options.normalizers ?? {});
    case 'dynamic':
      return addressTexts(text, 'any', span, options.normalizers ?? {});
    case 'string':
      if (type.form === 'asset') return assetTexts(text, span, options.normalizers ?? {});
      if (type.form !== undefined) return [spelled(text, type.form, options.normalizers ?? {})];
      return wordTexts(text, type, span, options);
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
  if (text === '') {
    const message = `${chain === 'ethereum' ? 'an' : 'a'} ${chain} address is never empty`;
    const help = chain === 'ethereum' ? 'write `eth.tx.is_deployment` for a transaction that creates a contract' : emptyHelp;
    return { code: 'INVALID_ADDRESS', span, message, help };
  }
  const message = `this is not a valid ${chain} address`;
  const help = chains[chain].address.help?.(text) ?? nameServiceHelp(text);
  return help === undefined ? { code: 'INVALID_ADDRESS', span, message } : { code: 'INVALID_ADDRESS', span, message, help };
}

/** A text that is no address on any chain. */
function noAddress(text: string, span: Span, { contacts }: CheckOptions): Diagnostic {
  const message = text === '' ? 'this address is never empty' : 'this is not an address on any chain';
  const help =
    (/^0x/i.test(text) ? chains.ethereum.address.help?.(text) : undefined) ??
    nearestContact(text, contacts?.() ?? []) ??
    nameServiceHelp(text) ??
    'copy the whole address';
  return { code: 'INVALID_ADDRESS', span, message, help };
}

/** The most contacts that are compared with a mistyped address. */
const MAX_CONTACTS = 10_000;

/** The contact that differs from a text in at most three characters. */
function nearestContact(text: string, contacts: Iterable<string>): string | undefined {
  if (text.length < 20) return undefined;
  const wanted = text.toLowerCase();
  let seen = 0;
  for (const contact of contacts) {
    if (seen++ >= MAX_CONTACTS) return undefined;
    if (contact.length === text.length && differences(contact.toLowerCase(), wanted) <= 3)
      return `did you mean the contact \`${contact}\`?`;
  }
  return undefined;
}

function differences(left: string, right: string): number {
  let count = 0;
  for (let at = 0; at < left.length && count <= 3; at += 1) if (left[at] !== right[at]) count += 1;
  return count;
}

function nameServiceHelp(text: string): string | undefined {
  return /\.[a-z]{2,}$/.test(text) ? 'names are not looked up: write the address' : undefined;
}

/** Help for a comparison with an empty text. */
export const emptyHelp = 'to demand that it is there, write `has(…)`';

/** The canonical text of a literal. A literal that does not match the form is unchanged and equals no value. */
function spelled(text: string, form: NonNullable<TextType['form']>, normalizers: Normalizers): string {
  if (form === 'caseless') return text.toLowerCase();
  const hex = /^(?:0[xX])?[0-9a-fA-F]*$/.test(text) ? text.toLowerCase() : text;
  return form === 'p256' ? (normalizers.p256?.(hex) ?? hex) : hex;
}

function wordTexts(text: string, type: TextType, span: Span, options: CheckOptions): readonly string[] | Diagnostic {
  const { vocabularies = {}, absentWords } = options;
  const { vocabulary } = type;
  if (vocabulary === undefined) return [text];
  const words = vocabularies[vocabulary] ?? type.words;
  if (words === undefined || words.includes(text)) return [text];
  const message = `\`${vocabulary}\` is never '${text.length > 80 ? `${text.slice(0, 80)}…` : text}'`;
  const other = Object.entries(vocabularies).find(([name, known]) => name.startsWith('activity.') && known.includes(text))?.[0];
  const help = absentWords?.get(text) ?? (other === undefined ? didYouMean(text, words) : `\`${other}\` can be '${text}'`);
  return help === undefined ? { code: 'UNKNOWN_LITERAL', span, message } : { code: 'UNKNOWN_LITERAL', span, message, help };
}

import type { Diagnostic } from '../diagnostic.ts';
import { builtinVocabularies } from '../schema/schema.ts';
import type { Span } from '../syntax/span.ts';
import { type AddressKind, addressKinds, type Type } from '../types.ts';
import { didYouMean } from './suggest.ts';

/** Gives the canonical form of an address, or undefined when the text is not a valid one (a wrong checksum included). */
export type Normalizer = (text: string) => string | undefined;

export type Normalizers = Readonly<Partial<Record<AddressKind, Normalizer>>>;

/** Words that literals are checked against, by the name of the vocabulary, for example `activity.type`. */
export type Vocabularies = Readonly<Record<string, readonly string[]>>;

export interface LiteralOptions {
  readonly normalizers?: Normalizers;
  readonly vocabularies?: Vocabularies;
}

/** The texts that a string literal stands for when it meets a value of the given type, or what is wrong with it. */
export function literalTexts(text: string, type: Type, span: Span, options: LiteralOptions): readonly string[] | Diagnostic {
  switch (type.kind) {
    case 'address':
      return type.also?.includes(text) === true ? [text] : addressTexts(text, type.chain, span, options.normalizers ?? {});
    case 'dynamic':
      return addressTexts(text, 'any', span, options.normalizers ?? {});
    case 'string':
      if (type.hex === true && /^(?:0[xX])?[0-9a-fA-F]*$/.test(text)) return [text.toLowerCase()];
      return type.vocabulary === undefined ? [text] : wordTexts(text, type.vocabulary, span, options.vocabularies ?? {});
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
  if (chain !== 'any') {
    const normalize = normalizers[chain];
    const canonical = normalize === undefined ? text : normalize(text);
    return canonical === undefined ? invalidAddress(text, chain, span) : [canonical];
  }
  // SECURITY: a mistyped Ethereum address would otherwise be compared as plain text and silently never match.
  if (/^0[xX][0-9a-fA-F]{40}$/.test(text) && normalizers.ethereum !== undefined && normalizers.ethereum(text) === undefined) {
    return invalidAddress(text, 'ethereum', span);
  }
  const canonical = addressKinds.map((kind) => normalizers[kind]?.(text)).filter((each) => each !== undefined);
  return [...new Set([text, ...canonical])];
}

function invalidAddress(text: string, chain: AddressKind, span: Span): Diagnostic {
  const message = `this is not a valid ${chain} address`;
  if (text === '') {
    const help = 'a transaction that creates a contract has no `to` at all, so no comparison with it is true';
    return { code: 'INVALID_ADDRESS', span, message, help };
  }
  const mixed = chain === 'ethereum' && /^(?:0[xX])?[0-9a-fA-F]{40}$/.test(text);
  const help = mixed ? 'its checksum is wrong: copy it again, or write it in lower case once you are sure of it' : undefined;
  return help === undefined ? { code: 'INVALID_ADDRESS', span, message } : { code: 'INVALID_ADDRESS', span, message, help };
}

function wordTexts(text: string, vocabulary: string, span: Span, vocabularies: Vocabularies): readonly string[] | Diagnostic {
  const words = vocabularies[vocabulary] ?? builtinVocabularies[vocabulary];
  if (words === undefined || words.includes(text)) return [text];
  const message = `\`${vocabulary}\` is never '${text.length > 80 ? `${text.slice(0, 80)}…` : text}'`;
  const help = didYouMean(text, words);
  return help === undefined ? { code: 'UNKNOWN_LITERAL', span, message } : { code: 'UNKNOWN_LITERAL', span, message, help };
}

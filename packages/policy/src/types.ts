/** The chains whose addresses have a canonical form. */
export const addressKinds = ['ethereum', 'solana', 'tron', 'bitcoin'] as const;

/** A chain whose addresses have a canonical form. */
export type AddressKind = (typeof addressKinds)[number];

/** The type of an expression. Text types describe the content, so that literals can be checked and normalized. */
export type Type =
  | { readonly kind: 'bool' }
  | { readonly kind: 'int' }
  | { readonly kind: 'timestamp' }
  | TextType
  /**
   * Text in the canonical form of its chain (`any`: of the chain to which it belongs). `also` lists values that are not addresses. `always`:
   * all other values are addresses. Parameters such as `sign_with` can also be ids.
   */
  | { readonly kind: 'address'; readonly chain: AddressKind | 'any'; readonly also?: readonly string[]; readonly always?: true }
  /** A named asset, such as `USDC`. It stands for the CAIP-19 names of shipped assets, and is compared with texts of that form only. */
  | { readonly kind: 'asset' }
  /** Known only at evaluation: a call argument or a value of a typed-data message. */
  | { readonly kind: 'dynamic' }
  | { readonly kind: 'list'; readonly of: Type }
  | { readonly kind: 'map'; readonly of: Type }
  | StructType
  /** The type of a part that has a diagnostic. It fits everywhere, so that one mistake causes one diagnostic. */
  | { readonly kind: 'unknown' };

/** The canonical form of values and literals, so that no alternative spelling bypasses a comparison. */
export type TextForm =
  /** Hexadecimal digits in lower case. */
  | 'hex'
  /** Lower case, for text that is case-insensitive, such as an e-mail address. */
  | 'caseless'
  /** A CAIP-19 asset name, with Ethereum addresses in lower case. */
  | 'asset'
  /** A public key on P-256, uncompressed, in lower-case hexadecimal digits. */
  | 'p256';

/** Text. `vocabulary` names the closed set of words that literals are checked against. */
export interface TextType {
  readonly kind: 'string';
  readonly vocabulary?: string;
  /** The words, if the language defines them. The host defines the words of other vocabularies. */
  readonly words?: readonly string[];
  readonly form?: TextForm;
}

/** A record with fixed fields. Diagnostics refer to it by `name`. */
export interface StructType {
  readonly kind: 'struct';
  readonly name: string;
  readonly fields: { readonly [name: string]: StructField };
}

/** A field of a record. The reference and the editor show `doc`. */
export interface StructField {
  readonly type: Type;
  readonly doc: string;
  /** An expression that uses it, for the reference. A test compiles it. */
  readonly example?: string;
  /** A map that is written as a call: `contacts.tagged('vendors')`. */
  readonly lookup?: true;
}

/** Type constructors. */
export const t = {
  bool: { kind: 'bool' },
  int: { kind: 'int' },
  timestamp: { kind: 'timestamp' },
  string: { kind: 'string' },
  hex: { kind: 'string', form: 'hex' },
  caseless: { kind: 'string', form: 'caseless' },
  asset: { kind: 'string', form: 'asset' },
  namedAsset: { kind: 'asset' },
  dynamic: { kind: 'dynamic' },
  unknown: { kind: 'unknown' },
  word: (vocabulary: string, words?: readonly string[]): Type =>
    words === undefined ? { kind: 'string', vocabulary } : { kind: 'string', vocabulary, words },
  address: (chain: AddressKind | 'any', also?: readonly string[]): Type =>
    also === undefined ? { kind: 'address', chain } : { kind: 'address', chain, also },
  anyAddress: (also: readonly string[] = []): Type => ({ kind: 'address', chain: 'any', also, always: true }),
  list: (of: Type): Type => ({ kind: 'list', of }),
  map: (of: Type): Type => ({ kind: 'map', of }),
  struct: (name: string, fields: { readonly [name: string]: StructField }): StructType => ({ kind: 'struct', name, fields }),
} as const;

/** The name of a type as diagnostics and the reference show it. */
export function typeName(type: Type): string {
  switch (type.kind) {
    case 'list':
      return `list<${typeName(type.of)}>`;
    case 'map':
      return `map<string, ${typeName(type.of)}>`;
    case 'struct':
      return type.name;
    case 'address':
      return type.chain === 'any' ? 'address' : `${type.chain} address`;
    default:
      return type.kind;
  }
}

/** The chains whose addresses have a canonical form. */
export const addressKinds = ['ethereum', 'solana', 'tron', 'bitcoin'] as const;

export type AddressKind = (typeof addressKinds)[number];

/** The type of an expression. Strings carry what is known of their content, so that literals can be checked and made canonical. */
export type Type =
  | { readonly kind: 'bool' }
  | { readonly kind: 'int' }
  | { readonly kind: 'timestamp' }
  /** Text. `vocabulary` names the closed set that literals are checked against; `hex` text is lower case. */
  | { readonly kind: 'string'; readonly vocabulary?: string; readonly hex?: true }
  /** Text in the canonical form of its chain (`any`: of the chain it belongs to). `also` are values that are no addresses. */
  | { readonly kind: 'address'; readonly chain: AddressKind | 'any'; readonly also?: readonly string[] }
  /** Known only at evaluation: a call argument or a value of a typed-data message. */
  | { readonly kind: 'dynamic' }
  | { readonly kind: 'list'; readonly of: Type }
  | { readonly kind: 'map'; readonly of: Type }
  | StructType
  /** The type of what was already reported; it fits everywhere, so that one mistake gives one diagnostic. */
  | { readonly kind: 'unknown' };

export interface StructType {
  readonly kind: 'struct';
  readonly name: string;
  readonly fields: { readonly [name: string]: StructField };
}

/** A field of a record. `doc` is the reference table and the editor's hover. */
export interface StructField {
  readonly type: Type;
  readonly doc: string;
}

/** The types, by the names that the schema uses. */
export const t = {
  bool: { kind: 'bool' },
  int: { kind: 'int' },
  timestamp: { kind: 'timestamp' },
  string: { kind: 'string' },
  hex: { kind: 'string', hex: true },
  dynamic: { kind: 'dynamic' },
  unknown: { kind: 'unknown' },
  word: (vocabulary: string): Type => ({ kind: 'string', vocabulary }),
  address: (chain: AddressKind | 'any', also?: readonly string[]): Type =>
    also === undefined ? { kind: 'address', chain } : { kind: 'address', chain, also },
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

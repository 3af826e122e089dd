import type { StructType } from '../types.ts';
import type { Term } from './term.ts';

/** A symbolic value: any value that a request could have at one path. */
export type Symbolic =
  | { readonly kind: 'bool' | 'int' | 'text'; readonly term: Term; readonly address?: true }
  | SymbolicList
  | SymbolicRecord
  /** The addresses of contacts: any set of texts. */
  | SymbolicSet
  /** `contacts.tagged`: a set for each tag. */
  | { readonly kind: 'tags'; readonly at: (tag: string) => Computed }
  /** A value that the encoding does not model. It may be anything. */
  | { readonly kind: 'opaque' };

/** A list with at most one element per place. */
export interface SymbolicList {
  readonly kind: 'list';
  readonly places: readonly { readonly present: Term; readonly value: Symbolic }[];
  /** Places are filled in order without gaps: place 2 is `list[2]`. */
  readonly dense: boolean;
}

/** A record. Its fields are created when an expression first reads them. */
export interface SymbolicRecord {
  readonly kind: 'record';
  readonly type: StructType;
  readonly made: Map<string, { readonly present: Term; readonly value: Symbolic }>;
  readonly field: (name: string) => { readonly present: Term; readonly value: Symbolic };
}

export interface SymbolicSet {
  readonly kind: 'set';
  readonly holds: (text: Term) => Term;
}

/** The result of a part of an expression: a value, unless it fails. */
export interface Computed {
  readonly error: Term;
  readonly value: Symbolic;
}

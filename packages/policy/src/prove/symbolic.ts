import type { StructType } from '../types.ts';
import type { Term } from './term.ts';

/** A value that is not known: what any request could hold in one place. */
export type Symbolic =
  | { readonly kind: 'bool' | 'int' | 'text'; readonly term: Term; readonly address?: true }
  | SymbolicList
  | SymbolicRecord
  /** The addresses of contacts: any set of texts. */
  | SymbolicSet
  /** `contacts.tagged`: a set for each tag. */
  | { readonly kind: 'tags'; readonly at: (tag: string) => Computed }
  /** A value that the encoding does not describe. It may be anything. */
  | { readonly kind: 'opaque' };

/** A list of at most as many elements as it has places. */
export interface SymbolicList {
  readonly kind: 'list';
  readonly places: readonly { readonly present: Term; readonly value: Symbolic }[];
  /** Each place comes after all earlier ones, and none is skipped: place 2 is `list[2]`. */
  readonly dense: boolean;
}

/** A record. Its fields are made when an expression first names them. */
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

/** What a part of an expression gives: a value, unless it faults. */
export interface Computed {
  readonly fault: Term;
  readonly value: Symbolic;
}

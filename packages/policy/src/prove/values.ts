import type { Normalizers } from '../check/options.ts';
import type { AddressKind, StructType, Type } from '../types.ts';
import { isList, isMap, type PolicyValue } from '../value.ts';
import type { Computed, Symbolic, SymbolicList, SymbolicRecord } from './symbolic.ts';
import type { Symbols } from './symbols.ts';
import { not, or, same, type Term, yes } from './term.ts';

/** Vocabularies that also allow the empty text: an effect without an asset has no asset kind. */
const mayBeEmpty: ReadonlySet<string | undefined> = new Set(['effect.asset_kind']);

/** Creates symbolic values by type. */
export class ValueMaker {
  private readonly symbols: Symbols;
  private readonly listSize: number;
  private readonly addresses: { readonly term: Term; readonly chain: AddressKind; readonly also: readonly string[] }[] = [];

  constructor(symbols: Symbols, listSize: number) {
    this.symbols = symbols;
    this.listSize = listSize;
  }

  /** A value of the type. `unsigned`: its integers are not negative. */
  make(type: Type, unsigned: boolean): Symbolic {
    switch (type.kind) {
      case 'bool':
        return { kind: 'bool', term: this.symbols.bool() };
      case 'int':
      case 'timestamp': {
        const term = this.symbols.int();
        if (unsigned) this.symbols.assert(`(>= ${term} 0)`);
        return { kind: 'int', term };
      }
      case 'string': {
        const term = this.symbols.text();
        const words = type.words === undefined ? [] : [...type.words, ...(mayBeEmpty.has(type.vocabulary) ? [''] : [])];
        if (words.length > 0) this.symbols.assert(or(...words.map((word) => same(term, this.symbols.atom(word)))));
        return { kind: 'text', term };
      }
      case 'address': {
        const term = this.symbols.text();
        if (type.chain !== 'any') this.addresses.push({ term, chain: type.chain, also: type.also ?? [] });
        return { kind: 'text', term, address: true };
      }
      case 'list':
        return this.list(type.of, unsigned);
      case 'struct':
        return this.record(type, unsigned);
      default:
        return { kind: 'opaque' };
    }
  }

  /** A known value. */
  concrete(value: PolicyValue): Symbolic {
    if (typeof value === 'string') return { kind: 'text', term: this.symbols.atom(value) };
    if (typeof value === 'boolean') return { kind: 'bool', term: String(value) };
    if (typeof value === 'bigint') return { kind: 'int', term: value < 0n ? `(- ${-value})` : String(value) };
    if (isList(value))
      return { kind: 'list', dense: true, places: value.map((each) => ({ present: yes, value: this.concrete(each) })) };
    if (isMap(value)) return { kind: 'opaque' };
    const made = new Map(Object.entries(value).map(([name, each]) => [name, { present: yes, value: this.concrete(each) }]));
    return knownRecord(made);
  }

  /**
   * Asserts that an address of one chain has the canonical form of that chain, or is another word that its type allows. Call after every
   * text is known.
   * SECURITY: D421, D422: nothing is asserted about an address of any chain. It can belong to a chain that the language does not know, or
   * be a word of a parser such as `OP_RETURN`.
   */
  assertSpellings(normalizers: Normalizers): void {
    const foreign = new Map<AddressKind, readonly string[]>();
    for (const { term, chain, also } of this.addresses) {
      const toForms = normalizers[chain];
      if (toForms === undefined) continue;
      const isForeign = (text: string) => ![toForms(text) ?? []].flat().includes(text);
      if (!foreign.has(chain)) foreign.set(chain, this.symbols.namedTexts.filter(isForeign));
      for (const text of foreign.get(chain) ?? [])
        if (!also.includes(text)) this.symbols.assert(not(same(term, this.symbols.atom(text))));
    }
  }

  private list(of: Type, unsigned: boolean): SymbolicList {
    const places = Array.from({ length: this.listSize }, () => ({
      present: this.symbols.bool(),
      value: this.make(of, unsigned),
    }));
    for (const [index, { present }] of places.entries()) {
      const before = places[index - 1];
      if (before !== undefined) this.symbols.assert(or(not(present), before.present));
    }
    return { kind: 'list', places, dense: true };
  }

  private record(type: StructType, unsigned: boolean): SymbolicRecord {
    const made: SymbolicRecord['made'] = new Map();
    const field: SymbolicRecord['field'] = (name) => {
      const known = made.get(name);
      if (known !== undefined) return known;
      const fresh = { present: this.symbols.bool(), value: this.make(type.fields[name]?.type ?? { kind: 'dynamic' }, unsigned) };
      made.set(name, fresh);
      return fresh;
    };
    return { kind: 'record', type, made, field };
  }
}

/** A record whose fields are all known. */
export function knownRecord(made: SymbolicRecord['made']): SymbolicRecord {
  const field: SymbolicRecord['field'] = (name) => made.get(name) ?? { present: 'false', value: { kind: 'opaque' } };
  return { kind: 'record', type: { kind: 'struct', name: '', fields: {} }, made, field };
}

/** A field of a value. An error if it is missing. */
export function fieldOf({ error, value }: Computed, name: string): Computed {
  if (value.kind !== 'record') return { error, value: { kind: 'opaque' } };
  const { present, value: found } = value.field(name);
  return { error: or(error, not(present)), value: found };
}

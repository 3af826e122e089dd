import {
  dependsOnEffect,
  isAlwaysAsked,
  measuredList,
  partsOf,
  type ReadNode,
  type Scalar,
  someNode,
  type Typed,
} from '../check/typed.ts';
import type { Asks } from '../evaluate/compile.ts';
import type { CompiledExpression } from '../expression.ts';
import { encodeArithmetic, tooLarge } from './encode-arithmetic.ts';
import type { Computed, Symbolic, SymbolicList } from './symbolic.ts';
import type { SymbolicRequest } from './symbolic-request.ts';
import type { Symbols } from './symbols.ts';
import { add, and, integer, no, not, or, same, type Term, when, yes } from './term.ts';
import { NotUnderstoodError } from './understood.ts';
import { fieldOf } from './values.ts';

/** The result of an expression for any request: not applicable, an error, true or false. */
export interface Outcome {
  readonly absent: Term;
  readonly isTrue: Term;
  readonly isFalse: Term;
}

/**
 * Encodes checked expressions as formulas over any request.
 * INVARIANT: if evaluation is true for a request within the bounds, the formula is true for some choice of the unknown parts. So an
 * unsatisfiable question proves that there is no such request. As in evaluation, an error of an evaluated part is an error of the whole, and
 * `asks` determines which operands `&&` and `||` evaluate.
 */
export class Encoder {
  /** Source texts of the parts that the encoding does not model. */
  readonly abstractions: string[] = [];
  /** Each is true if a part that the encoding does not model fails. */
  readonly opaqueErrors: Term[] = [];
  private readonly request: SymbolicRequest;
  private readonly symbols: Symbols;
  private readonly opaque = new Map<string, Computed>();
  private source = '';
  private asks: Asks = 'EVERY_OPERAND';

  constructor(request: SymbolicRequest, symbols: Symbols) {
    this.request = request;
    this.symbols = symbols;
  }

  /** An absent expression is true. */
  expression(expression: CompiledExpression | undefined): Outcome {
    if (expression === undefined) return { absent: no, isTrue: yes, isFalse: no };
    this.source = expression.text;
    this.asks = expression.asks;
    const used = expression.uses.map(({ namespace }) => this.request.namespace(namespace));
    const absent = or(...used.map((each) => each.absent));
    const { error, value } = this.bool(this.encode(expression.typed, []), expression.typed);
    const { controls } = expression;
    const lost = expression.uses.flatMap(({ namespace, demanded }, index) =>
      demanded ? [used[index]?.lost ?? no, this.request.uncovered(namespace, controls)] : [],
    );
    const silent = this.symbols.share(or(absent, ...lost, error), 'Bool');
    const truth = this.symbols.share(value, 'Bool');
    return { absent, isTrue: and(not(silent), truth), isFalse: and(not(silent), not(truth)) };
  }

  private encode(node: Typed, variables: readonly Symbolic[]): Computed {
    const { error, value } = this.build(node, variables);
    return { error: this.symbols.share(error, 'Bool'), value: this.shared(value) };
  }

  private shared(value: Symbolic): Symbolic {
    if (value.kind !== 'bool' && value.kind !== 'int') return value;
    return { ...value, term: this.symbols.share(value.term, value.kind === 'bool' ? 'Bool' : 'Int') };
  }

  private build(node: Typed, variables: readonly Symbolic[]): Computed {
    const encode = (part: Typed) => this.encode(part, variables);
    switch (node.kind) {
      case 'constant':
        return sure(this.constant(node.value));
      case 'read':
        return this.read(node);
      case 'variable':
        return sure(variables[node.slot] ?? { kind: 'opaque' });
      case 'field':
        return fieldOf(encode(node.base), node.name);
      case 'index':
        return this.index(node, encode(node.base)) ?? this.unknown(node);
      case 'list': {
        const items = node.items.map(encode);
        const places = items.map(({ value }) => ({ present: yes, value }));
        return { error: errorOf(items), value: { kind: 'list', places, dense: true } };
      }
      case 'not': {
        const { error, value } = this.bool(encode(node.operand), node.operand);
        return { error, value: truth(not(value)) };
      }
      case 'and':
      case 'or': {
        const operands = node.operands.map((each) => this.bool(encode(each), each));
        const values = operands.map(({ value }) => value);
        const errors = operands.map(({ error }, index) => {
          if (this.asks === 'EVERY_OPERAND' || isAlwaysAsked(node.operands[index] as Typed)) return error;
          // No earlier operand decides: all are true for `&&`, and all are false for `||`.
          const before = values.slice(0, index);
          return and(error, node.kind === 'and' ? and(...before) : not(or(...before)));
        });
        return { error: or(...errors), value: truth(node.kind === 'and' ? and(...values) : or(...values)) };
      }
      case 'oneOf': {
        const operand = encode(node.operand);
        if (!isScalar(operand.value)) return this.unknown(node);
        const found = this.isOneOf(operand.value.term, node.values);
        return { error: operand.error, value: truth(node.negated ? not(found) : found) };
      }
      case 'equal': {
        const [left, right] = [encode(node.left), encode(node.right)];
        if (!isScalar(left.value) || left.value.kind !== right.value.kind || !isScalar(right.value)) return this.unknown(node);
        const equal = same(left.value.term, right.value.term);
        return { error: or(left.error, right.error), value: truth(node.negated ? not(equal) : equal) };
      }
      case 'order': {
        const [left, right] = [encode(node.left), encode(node.right)];
        if (left.value.kind !== 'int' || right.value.kind !== 'int') return this.unknown(node);
        const holds = `(${node.operator} ${left.value.term} ${right.value.term})`;
        return { error: or(left.error, right.error), value: truth(holds) };
      }
      case 'hasOneOf':
        return (
          this.holds(encode(node.list), no, (term) => this.isOneOf(term, node.values), [...node.values]) ?? this.unknown(node)
        );
      case 'member': {
        const [item, list] = [encode(node.item), encode(node.list)];
        const wanted = item.value;
        if (!isScalar(wanted)) return this.unknown(node);
        return this.holds(list, item.error, (term) => same(term, wanted.term), wanted) ?? this.unknown(node);
      }
      case 'arithmetic':
        return encodeArithmetic(node.operands.map(encode), node.operators, this.symbols) ?? this.unknown(node);
      case 'each':
        return this.each(node, encode(node.list), variables) ?? this.unknown(node);
      case 'sumOf':
        return this.total(node, encode(node.list), variables) ?? this.unknown(node);
      case 'apply': {
        const measured = measuredList(node);
        const list = measured === undefined ? undefined : encode(measured);
        if (list?.value.kind !== 'list') return this.unknown(node);
        return {
          error: list.error,
          value: { kind: 'int', term: add(list.value.places.map(({ present }) => when(present, '1'))) },
        };
      }
      case 'present': {
        const { operand } = node;
        // Only a missing field makes a read fail. Indexes fail for other reasons too.
        if (operand.kind !== 'read') return this.unknown(node);
        return sure(truth(not(encode(operand).error)));
      }
      case 'slice':
        return this.slice(node, encode(node.base));
      case 'invalid':
        return { error: yes, value: { kind: 'opaque' } };
      default:
        return this.refuse(node, node);
    }
  }

  /** SECURITY: D424: a construct without an encoding has no proof. A missing case does not compile. */
  private refuse(construct: never, { span }: Typed): never {
    throw new NotUnderstoodError(`${this.source.slice(span.start, span.end) || String(construct)}`);
  }

  private constant(value: Scalar): Symbolic {
    if (typeof value === 'boolean') return truth(String(value));
    return typeof value === 'bigint' ? { kind: 'int', term: integer(value) } : { kind: 'text', term: this.symbols.atom(value) };
  }

  /** Whether requests of this kind have the namespace is checked for the whole expression. */
  private read({ namespace, path, beside }: ReadNode): Computed {
    const { lost, value } = this.request.namespace(namespace);
    const uncovered = beside === undefined ? no : this.request.uncovered(namespace, beside);
    return path.reduce<Computed>(fieldOf, { error: or(lost, uncovered, this.request.missing(namespace)), value });
  }

  private index({ index }: Typed & { kind: 'index' }, base: Computed): Computed | undefined {
    if (index.kind !== 'constant') return undefined;
    if (base.value.kind === 'tags' && typeof index.value === 'string') {
      const set = base.value.at(index.value);
      return { error: or(base.error, set.error), value: set.value };
    }
    if (base.value.kind !== 'list' || !base.value.dense || typeof index.value !== 'bigint') return undefined;
    const place = index.value < 0n ? undefined : base.value.places[Number(index.value)];
    if (place === undefined) return { error: yes, value: { kind: 'opaque' } };
    return { error: or(base.error, not(place.present)), value: place.value };
  }

  /** A piece of a text may be any text. The decoded request gets a text that contains the piece. */
  private slice(node: Typed & { kind: 'slice' }, base: Computed): Computed {
    const piece = this.unknown(node);
    const { from, to } = node;
    const fixed = from.kind === 'constant' && to.kind === 'constant';
    if (fixed && piece.value.kind === 'text' && base.value.kind === 'text')
      this.request.pieces.push({ of: base.value.term, from: Number(from.value), to: Number(to.value), piece: piece.value.term });
    return { error: or(base.error, piece.error), value: piece.value };
  }

  /** Whether a list contains the wanted value. */
  private holds(
    { error, value }: Computed,
    itemError: Term,
    test: (term: Term) => Term,
    wanted: readonly Scalar[] | (Symbolic & { readonly term: Term }),
  ): Computed | undefined {
    const errors = or(error, itemError);
    if (value.kind === 'set') {
      const terms =
        'term' in wanted ? [wanted.term] : wanted.flatMap((each) => (typeof each === 'string' ? [this.symbols.atom(each)] : []));
      return { error: errors, value: truth(or(...terms.map(value.holds))) };
    }
    if (value.kind !== 'list' || !value.places.every((place) => isScalar(place.value))) return undefined;
    const found = value.places.map((place) => and(place.present, test(isScalar(place.value) ? place.value.term : no)));
    return { error: errors, value: truth(or(...found)) };
  }

  private each(node: Typed & { kind: 'each' }, list: Computed, variables: readonly Symbolic[]): Computed | undefined {
    if (list.value.kind !== 'list') return undefined;
    const results = this.bodies(node, list.value, variables).map(({ present, value, body }) => {
      const { error, value: holds } = this.bool(body, node.body);
      return { present, value, error, holds };
    });
    const error = or(list.error, ...results.map((each) => and(each.present, each.error)));
    const kept = results.map(({ present, value, holds }) => ({ present: and(present, holds), value }));
    const some = or(...kept.map(({ present }) => present));
    switch (node.quantifier) {
      case 'select': {
        const places = kept.map((each) => ({ ...each, present: this.symbols.share(each.present, 'Bool') }));
        return { error, value: { kind: 'list', places, dense: false } };
      }
      case 'some':
        return { error, value: truth(some) };
      case 'no':
        return { error, value: truth(not(some)) };
      case 'every':
        return { error, value: truth(and(...results.map(({ present, holds }) => or(not(present), holds)))) };
      default:
        return this.refuse(node.quantifier, node);
    }
  }

  private total(node: Typed & { kind: 'sumOf' }, list: Computed, variables: readonly Symbolic[]): Computed | undefined {
    if (list.value.kind !== 'list') return undefined;
    const terms: Term[] = [];
    const errors = [list.error];
    for (const { present, body } of this.bodies(node, list.value, variables)) {
      if (body.value.kind !== 'int') return undefined;
      terms.push(when(present, body.value.term));
      errors.push(and(present, body.error));
    }
    const sum = this.symbols.share(add(terms), 'Int');
    return { error: or(...errors, tooLarge(sum)), value: { kind: 'int', term: sum } };
  }

  private bodies(node: Typed & { kind: 'each' | 'sumOf' }, list: SymbolicList, variables: readonly Symbolic[]) {
    return list.places.map(({ present, value }) => {
      const inner = [...variables];
      inner[node.slot] = value;
      return { present, value, body: this.encode(node.body, inner) };
    });
  }

  private isOneOf(term: Term, values: ReadonlySet<Scalar>): Term {
    return or(
      ...[...values].map((value) => {
        const constant = this.constant(value);
        return isScalar(constant) ? same(term, constant.term) : no;
      }),
    );
  }

  private bool({ error, value }: Computed, node: Typed): { readonly error: Term; readonly value: Term } {
    if (value.kind === 'bool') return { error, value: value.term };
    const free = this.unknown({ ...node, type: { kind: 'bool' } });
    return { error: free.error, value: free.value.kind === 'bool' ? free.value.term : no };
  }

  /** A part that the encoding does not model may have any value, or fail. The same text has the same value throughout. */
  private unknown(node: Typed): Computed {
    const text = this.source.slice(node.span.start, node.span.end);
    const free = someNode(node, ({ kind }) => kind === 'variable');
    // The same text can mean different amounts: the decimals of a token depend on the chain.
    const asks = dependsOnEffect(node) ? this.asks : '';
    const key = [node.type.kind, asks, text, ...shapeOf(node)].join('\n');
    const known = free ? undefined : this.opaque.get(key);
    if (known !== undefined) return known;
    if (!this.abstractions.includes(text)) this.abstractions.push(text);
    const made: Computed = { error: this.symbols.bool(), value: this.anything(node.type.kind) };
    this.opaqueErrors.push(made.error);
    if (!free) this.opaque.set(key, made);
    return made;
  }

  private anything(kind: Typed['type']['kind']): Symbolic {
    if (kind === 'bool') return truth(this.symbols.bool());
    if (kind === 'int' || kind === 'timestamp') return { kind: 'int', term: this.symbols.int() };
    return kind === 'string' || kind === 'address' ? { kind: 'text', term: this.symbols.text() } : { kind: 'opaque' };
  }
}

/**
 * The kinds and literals of a node and its parts.
 * SECURITY: D424: the text alone does not tell what it means. `5 USDC` is another integer on another chain, constants have names, and
 * `approvers` can stand for those who agree only.
 */
function shapeOf(node: Typed): readonly string[] {
  if (node.kind === 'constant') return [String(node.value), ...(node.ids ?? [])];
  const literals =
    node.kind === 'oneOf' || node.kind === 'hasOneOf' ? [...node.values, ...(node.integers ?? [])].map(String) : [];
  return [node.kind, ...literals, ...partsOf(node).flatMap(shapeOf)];
}

type ScalarSymbol = Symbolic & { readonly kind: 'bool' | 'int' | 'text' };

function isScalar(value: Symbolic): value is ScalarSymbol {
  return value.kind === 'bool' || value.kind === 'int' || value.kind === 'text';
}

function sure(value: Symbolic): Computed {
  return { error: no, value };
}

function truth(term: Term): Symbolic {
  return { kind: 'bool', term };
}

function errorOf(parts: readonly { readonly error: Term }[]): Term {
  return or(...parts.map(({ error }) => error));
}

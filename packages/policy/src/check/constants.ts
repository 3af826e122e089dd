import type { Expression, NamedConstant } from '../syntax/ast.ts';
import type { CheckContext } from './context.ts';

const WHAT = 'a constant is a literal, a list of literals, or computed from them';

/** The calls whose value is a literal. */
const literalCalls: ReadonlySet<string> = new Set(['tag', 'Timestamp']);

/**
 * The named constants of one expression. Each use is checked like its value, so that a unit gets its decimals from the chain
 * there.
 * INVARIANT: a value refers only to constants before it, so no constant contains itself.
 * SECURITY: every use counts the parts of the value, so that short names cannot make an expression longer than its limit.
 */
export class Constants {
  private readonly known = new Map<string, { readonly constant: NamedConstant; readonly parts: number; used: boolean }>();
  private readonly context: CheckContext;
  private readonly maxParts: number;
  private parts = 0;

  constructor(context: CheckContext, maxParts: number) {
    this.context = context;
    this.maxParts = maxParts;
  }

  /** Adds constants. `isTaken`: the name already means something. */
  add(constants: readonly NamedConstant[], isTaken: (name: string) => boolean): void {
    for (const constant of constants) {
      const { name, nameSpan, value } = constant;
      const parts = this.partsOf(value);
      if (isTaken(name) || this.known.has(name))
        this.context.report('INVALID_CONSTANT', nameSpan, `\`${name}\` already has a meaning`, 'choose another name');
      else if (parts === undefined) this.context.report('INVALID_CONSTANT', value.span, `\`${name}\` is not a constant`, WHAT);
      else this.known.set(name, { constant, parts, used: false });
    }
  }

  has(name: string): boolean {
    return this.known.has(name);
  }

  names(): readonly string[] {
    return [...this.known.keys()];
  }

  /** The value of a name. Undefined if no constant has it, or if it would make the expression too long, which is reported. */
  use(name: string): Expression | undefined {
    const found = this.known.get(name);
    if (found === undefined) return undefined;
    found.used = true;
    this.parts += found.parts;
    if (this.parts <= this.maxParts) return found.constant.value;
    return this.context.report(
      'TOO_COMPLEX',
      found.constant.nameSpan,
      `with its constants, the expression has more than ${this.maxParts} parts`,
    );
  }

  /** SECURITY: a limit that has a name and is not used is no limit. */
  reportUnused(): void {
    for (const [name, { constant, used }] of this.known)
      if (!used) this.context.report('INVALID_CONSTANT', constant.nameSpan, `\`${name}\` is not used`, 'use it, or remove it');
  }

  /** The parts of a constant value, with those of the constants in it. Undefined if it is not constant. */
  private partsOf(value: Expression, inList = false): number | undefined {
    switch (value.kind) {
      case 'boolean':
      case 'integer':
      case 'quantity':
      case 'string':
      case 'invalid':
        return 1;
      case 'name': {
        const known = this.known.get(value.name);
        return known === undefined || (inList && known.constant.value.kind === 'list') ? undefined : known.parts;
      }
      case 'negate':
        return this.sum([value.operand], true);
      case 'arithmetic':
        return this.sum(value.operands, true);
      case 'list':
        return inList ? undefined : this.sum(value.items, true);
      case 'call':
        return literalCalls.has(value.name) && value.args.every(({ kind }) => kind === 'string') ? 1 : undefined;
      default:
        return undefined;
    }
  }

  private sum(values: readonly Expression[], inList: boolean): number | undefined {
    let parts = 1;
    for (const value of values) {
      const own = this.partsOf(value, inList);
      if (own === undefined) return undefined;
      parts += own;
    }
    return parts;
  }
}

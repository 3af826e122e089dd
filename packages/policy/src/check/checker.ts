import { listMethods } from '../builtins/list-methods.ts';
import { type TextMethod, textMethods } from '../builtins/text-methods.ts';
import type { Diagnostic, DiagnosticCode } from '../diagnostic.ts';
import { defaultLimits, type PolicyLimits } from '../limits.ts';
import { PARAMETERS } from '../schema/parameters.ts';
import type { Comparison, Expression, MethodCall } from '../syntax/ast.ts';
import type { Addition } from '../syntax/parser.ts';
import type { Span } from '../syntax/span.ts';
import { type Type, t, typeName } from '../types.ts';
import type { PolicyField } from '../value.ts';
import { checkIndex, checkSlice } from './access.ts';
import { checkArithmetic } from './arithmetic.ts';
import { checkCall } from './call.ts';
import { chainsOf, chainsOfNamespaces } from './chains.ts';
import { Constants } from './constants.ts';
import type { CheckContext, QuotedInteger } from './context.ts';
import { checkEquality, checkMembership } from './equality.ts';
import { aType, cut, methodHelp, nameHelp } from './help.ts';
import { checkList } from './list.ts';
import { chainsOfAssets, chainsOfTotal, checkNamedAsset } from './named-asset.ts';
import type { CheckOptions } from './options.ts';
import { checkOrder } from './order.ts';
import { checkQuantity } from './quantity.ts';
import { fieldOfName, type ScopeNode, type Scopes, scopesOf } from './scope.ts';
import { didYouMean } from './suggest.ts';
import { invalid, type Typed } from './typed.ts';

const NO_CONTROLS = 'the organization has no velocity control yet: create one with this identifier first';

interface Variable {
  readonly name: string;
  readonly type: Type;
}

/**
 * Resolves the names of one expression and checks its types. The tree may contain `invalid` nodes, which fit everywhere.
 * INVARIANT: without a diagnostic, evaluation returns TYPE_MISMATCH only for dynamic values, and for inputs that violate the schema.
 */
export class Checker {
  readonly diagnostics: Diagnostic[] = [];
  /** Quoted integers that count as integers. */
  readonly quoted: QuotedInteger[] = [];
  /** Parts that earlier versions of the language do not have. */
  readonly additions: Addition[] = [];
  private readonly field: PolicyField;
  private readonly options: CheckOptions;
  private readonly limits: PolicyLimits;
  private readonly scopes: Scopes;
  private readonly variables: Variable[] = [];
  /** The chains to which the enclosing parts are restricted, innermost last. */
  private readonly chains: ReadonlySet<string>[] = [];
  private readonly constants: Constants;

  constructor(field: PolicyField, options: CheckOptions) {
    this.field = field;
    this.options = options;
    this.limits = options.limits ?? defaultLimits;
    this.scopes = scopesOf(options.parameters, options.controls);
    this.constants = new Constants(this.context(), this.limits.nodes);
  }

  /** Checks a whole expression, which must be a boolean. */
  condition(expression: Expression): Typed {
    const body = expression.kind === 'let' ? expression.body : expression;
    const chains = chainsOfNamespaces(body);
    if (chains !== undefined) this.chains.push(chains);
    const isTaken = (name: string) => fieldOfName(this.scopes, name) !== undefined || this.options.assets?.has(name) === true;
    if (expression.kind === 'let') this.constants.add(expression.constants, isTaken);
    const checked = this.boolean(this.check(body));
    this.constants.reportUnused();
    return checked;
  }

  /** The type of a path. With `variable`, the first name is an element of a list namespace. */
  typeOfPath(expression: Expression, variable?: readonly [name: string, list: string]): Type {
    if (variable !== undefined) {
      const type = this.scopes[this.field].children.get(variable[1])?.namespace?.type;
      this.variables.push({ name: variable[0], type: type?.kind === 'list' ? type.of : t.unknown });
    }
    return this.check(expression).type;
  }

  report(code: DiagnosticCode, span: Span, message: string, help?: string): undefined {
    if (this.diagnostics.length < this.limits.diagnostics) {
      this.diagnostics.push(help === undefined ? { code, span, message } : { code, span, message, help });
    }
    return undefined;
  }

  private check(expression: Expression): Typed {
    const { span } = expression;
    switch (expression.kind) {
      case 'boolean':
        return { kind: 'constant', value: expression.value, type: t.bool, span };
      case 'integer':
        return { kind: 'constant', value: expression.value, type: t.int, span };
      case 'quantity':
        return checkQuantity(expression, this.chains.at(-1), this.context()) ?? invalid(span);
      case 'string':
        return { kind: 'constant', value: expression.value, type: t.string, span };
      case 'list':
        return (
          checkList(
            expression.items.map((each) => this.check(each)),
            span,
            this.context(),
          ) ?? invalid(span)
        );
      case 'name':
        return this.name(expression);
      case 'field':
        return this.fieldAccess(expression);
      case 'index':
        return checkIndex(this.check(expression.base), this.check(expression.index), span, this.context()) ?? invalid(span);
      case 'slice': {
        const bounds = [this.check(expression.from), this.check(expression.to)] as const;
        return checkSlice(this.check(expression.base), bounds, span, this.context()) ?? invalid(span);
      }
      case 'call':
        return checkCall(expression, this.field, (each) => this.check(each), this.context()) ?? invalid(span);
      case 'method':
        return this.method(expression);
      case 'not':
        return this.negation(expression.operand, span);
      case 'negate': {
        const zero: Typed = { kind: 'constant', value: 0n, type: t.int, span: { start: span.start, end: span.start } };
        return checkArithmetic([zero, this.check(expression.operand)], ['-'], span, this.context()) ?? invalid(span);
      }
      case 'arithmetic': {
        const operands = expression.operands.map((each) => this.check(each));
        return checkArithmetic(operands, expression.operators, span, this.context()) ?? invalid(span);
      }
      case 'and': {
        const stated = chainsOf(expression.operands) ?? this.chains.at(-1);
        const chains = chainsOfAssets(expression.operands, stated, this.options.assets) ?? stated;
        if (chains !== undefined) this.chains.push(chains);
        const checked = this.run(expression);
        if (chains !== undefined) this.chains.pop();
        return checked;
      }
      case 'or':
        return this.run(expression);
      case 'compare':
        return this.compare(expression);
      case 'in':
        return checkMembership(this.check(expression.item), this.check(expression.list), span, this.context()) ?? invalid(span);
      // The parser makes it only at the root, which `condition` reads.
      case 'let':
      case 'invalid':
        return invalid(span);
    }
  }

  private run({ kind, operands, span }: Expression & { kind: 'and' | 'or' }): Typed {
    return { kind, operands: operands.map((each) => this.boolean(this.check(each))), type: t.bool, span };
  }

  private context(): CheckContext {
    return {
      options: this.options,
      report: this.report.bind(this),
      add: (diagnostic: Diagnostic) => this.add(diagnostic),
      noteQuoted: (each: QuotedInteger) => this.quoted.push(each),
      noteAddition: (each: Addition) => this.additions.push(each),
    };
  }

  private add(diagnostic: Diagnostic): undefined {
    return this.report(diagnostic.code, diagnostic.span, diagnostic.message, diagnostic.help);
  }

  private boolean(typed: Typed, help?: string): Typed {
    if (['bool', 'dynamic', 'unknown'].includes(typed.type.kind)) return typed;
    const hint =
      help ??
      (['string', 'address'].includes(typed.type.kind) ? "compare it, for example with `== '…'`" : 'compare it with something');
    this.report('NOT_BOOLEAN', typed.span, `this has type ${typeName(typed.type)}, but a bool is needed`, hint);
    return invalid(typed.span);
  }

  private negation(expression: Expression, span: Span): Typed {
    const help = '`!` binds tighter than comparisons: write `!(a in b)` or `!(a == b)`';
    const operand = this.boolean(this.check(expression), help);
    return operand.type.kind === 'unknown' ? invalid(span) : { kind: 'not', operand, type: t.bool, span };
  }

  private name(expression: Expression & { kind: 'name' }): Typed {
    const slot = this.variables.findLastIndex(({ name }) => name === expression.name);
    const variable = this.variables[slot];
    if (variable !== undefined)
      return { kind: 'variable', slot, name: variable.name, type: variable.type, span: expression.span };
    if (this.constants.has(expression.name)) {
      const value = this.constants.use(expression.name);
      return value === undefined ? invalid(expression.span) : this.check(value);
    }
    const node = this.scopes[this.field].children.get(expression.name);
    if (node !== undefined) return this.read(node, expression.span);
    const { name, span } = expression;
    const asset = this.field === 'condition' ? checkNamedAsset(name, span, this.chains.at(-1), this.context()) : undefined;
    if (asset !== undefined) {
      this.additions.push({ what: `\`${name}\``, span });
      return asset;
    }
    const elsewhere = fieldOfName(this.scopes, expression.name);
    if (elsewhere !== undefined) {
      const message = `\`${expression.name}\` is not available in the ${this.field} of a policy`;
      this.report('WRONG_FIELD', expression.span, message, `it belongs in the ${elsewhere}`);
    } else {
      const known = [
        ...this.variables.map((each) => each.name),
        ...this.constants.names(),
        ...this.scopes[this.field].children.keys(),
      ];
      this.report('UNKNOWN_NAME', expression.span, `the name \`${cut(name)}\` is not known here`, nameHelp(name, known));
    }
    return invalid(expression.span);
  }

  private read(node: ScopeNode, span: Span): Typed {
    if (node.namespace?.since !== undefined) this.additions.push({ what: `\`${node.path}\``, span });
    if (node.namespace !== undefined)
      return { kind: 'read', namespace: node.namespace, path: [], type: node.namespace.type, span };
    const inside = [...node.children.keys()].map((child) => `\`${node.path}.${child}\``).join(', ');
    const help = inside === '' ? NO_CONTROLS : `it holds ${inside}`;
    this.report('INCOMPLETE_PATH', span, `\`${node.path}\` is not a value by itself`, help);
    return invalid(span);
  }

  /** The scope node of a chain of names. Undefined if the chain starts with a variable or a value. */
  private scopeOf(expression: Expression): ScopeNode | undefined {
    if (expression.kind === 'name') {
      const shadowed = this.variables.some(({ name }) => name === expression.name);
      return shadowed ? undefined : this.scopes[this.field].children.get(expression.name);
    }
    return expression.kind === 'field' ? this.scopeOf(expression.base)?.children.get(expression.name) : undefined;
  }

  private fieldAccess(expression: Expression & { kind: 'field' }): Typed {
    const { base, name, nameSpan, span } = expression;
    const group = this.scopeOf(base);
    const child = group?.children.get(name);
    if (child !== undefined) return this.read(child, span);
    if (group !== undefined && group.namespace === undefined) {
      this.report('UNKNOWN_FIELD', nameSpan, `\`${group.path}\` has no \`${name}\``, this.helpFor(group, name));
      return invalid(span);
    }
    const typed = this.check(base);
    const { type } = typed;
    const method = listMethods.get(name);
    if (method?.bare === true && (type.kind === 'list' || type.kind === 'dynamic'))
      return this.methodCall({ kind: 'method', base, name, nameSpan, args: [], span }, typed);
    if (type.kind === 'struct') {
      const found = Object.hasOwn(type.fields, name) ? type.fields[name] : undefined;
      if (found === undefined) {
        this.report(
          'UNKNOWN_FIELD',
          nameSpan,
          `${type.name} has no field \`${name}\``,
          didYouMean(name, Object.keys(type.fields)),
        );
        return invalid(span);
      }
      if (typed.kind === 'read') return { ...typed, path: [...typed.path, name], type: found.type, span };
      return { kind: 'field', base: typed, name, type: found.type, span };
    }
    if (type.kind !== 'unknown') {
      const keyed = type.kind === 'map' || type.kind === 'dynamic';
      const help = keyed ? `write ['${name}']` : methodHelp(type, name);
      this.report('UNKNOWN_FIELD', nameSpan, `${aType(type)} has no fields`, help);
    }
    return invalid(span);
  }

  /** Help for a name that a group of namespaces does not have. */
  private helpFor(group: ScopeNode, name: string): string | undefined {
    if (group.children.size === 0) return NO_CONTROLS;
    const secret = group.path === PARAMETERS && this.options.secretParameters?.has(name) === true;
    return secret ? 'this parameter is secret, and policies do not see secrets' : didYouMean(name, [...group.children.keys()]);
  }

  private method(expression: MethodCall): Typed {
    const base = this.check(expression.base);
    return this.lookup(expression, base) ?? this.methodCall(expression, base);
  }

  /** A map field that is written as a call: `record.map('key')` means `record.map['key']`. */
  private lookup({ name, nameSpan, args, span }: MethodCall, base: Typed): Typed | undefined {
    if (base.type.kind !== 'struct' || !Object.hasOwn(base.type.fields, name)) return undefined;
    const field = base.type.fields[name];
    const [key] = args;
    if (field?.lookup !== true) return undefined;
    if (key === undefined || args.length !== 1) {
      this.report('WRONG_ARGUMENTS', span, `\`${name}\` takes one text`, `write ${name}('…')`);
      return invalid(span);
    }
    const path = { start: base.span.start, end: nameSpan.end };
    const map: Typed =
      base.kind === 'read'
        ? { ...base, path: [...base.path, name], type: field.type, span: path }
        : { kind: 'field', base, name, type: field.type, span: path };
    return checkIndex(map, this.check(key), span, this.context()) ?? invalid(span);
  }

  private methodCall({ name, nameSpan, args, span }: MethodCall, list: Typed): Typed {
    const { type } = list;
    if (type.kind === 'unknown') return invalid(span);
    const ofText = type.kind === 'string' || type.kind === 'dynamic' ? textMethods.get(name) : undefined;
    if (ofText !== undefined) return this.textMethod(ofText, { nameSpan, args, span }, list);
    const element = type.kind === 'list' ? type.of : type.kind === 'dynamic' ? t.dynamic : undefined;
    const method = listMethods.get(name);
    if (element === undefined || method === undefined) {
      this.report('UNKNOWN_METHOD', nameSpan, `${aType(type)} has no method \`${cut(name)}\``, methodHelp(type, name));
      return invalid(span);
    }
    const checked = method.check({
      list,
      element,
      args,
      span,
      context: this.context(),
      checkArgument: (argument) => this.check(argument),
      checkPredicate: (variable, body) => {
        const checked = this.forEach({ name: variable, type: element }, body);
        return { ...checked, body: this.boolean(checked.body) };
      },
      checkEach: (variable, body) => this.forEach({ name: variable, type: element }, body),
    });
    if (checked !== 'WRONG_ARGUMENTS') return checked ?? invalid(span);
    this.report('WRONG_ARGUMENTS', span, `\`${name}\` does not take these arguments`, `write ${method.signature}`);
    return invalid(span);
  }

  private textMethod(
    method: TextMethod,
    { nameSpan, args, span }: Omit<MethodCall, 'kind' | 'base' | 'name'>,
    text: Typed,
  ): Typed {
    this.additions.push({ what: `\`${method.name}\``, span: nameSpan });
    const [argument] = args.map((each) => this.check(each));
    if (argument?.type.kind === 'unknown') return invalid(span);
    if (argument?.kind === 'constant' && args.length === 1)
      return method.check(text, argument, span, this.context()) ?? invalid(span);
    this.report('WRONG_ARGUMENTS', span, `\`${method.name}\` takes one string literal`, `write ${method.signature}`);
    return invalid(span);
  }

  private forEach(variable: Variable, expression: Expression): { slot: number; body: Typed } {
    const slot = this.variables.length;
    if (this.constants.has(variable.name))
      this.report('INVALID_CONSTANT', expression.span, `\`${variable.name}\` is already a constant`, 'choose another variable');
    this.variables.push(variable);
    const body = this.check(expression);
    this.variables.pop();
    return { slot, body };
  }

  private compare(expression: Comparison): Typed {
    const { operator, span } = expression;
    const chains = chainsOfTotal(expression, this.chains.at(-1), this.options.assets);
    if (chains !== undefined) this.chains.push(chains);
    const [left, right] = [this.check(expression.left), this.check(expression.right)];
    if (chains !== undefined) this.chains.pop();
    if (operator === '==' || operator === '!=')
      return checkEquality(left, right, operator === '!=', span, this.context()) ?? invalid(span);
    return checkOrder(operator, left, right, span, this.context()) ?? invalid(span);
  }
}

import { functions } from '../../../policy/src/builtins/functions.ts';
import { listMethods } from '../../../policy/src/builtins/list-methods.ts';
import type { CheckOptions } from '../../../policy/src/check/options.ts';
import type { NamespaceValues } from '../../../policy/src/evaluate/evaluation.ts';
import { compileExpression } from '../../../policy/src/expression.ts';
import { controlNamespace } from '../../../policy/src/schema/controls.ts';
import type { Namespace } from '../../../policy/src/schema/namespace.ts';
import { parameterNamespace } from '../../../policy/src/schema/parameters.ts';
import { namespaces } from '../../../policy/src/schema/schema.ts';
import type { StructType, Type } from '../../../policy/src/types.ts';
import { isList, isMap, isRecord, type PolicyField, type PolicyValue } from '../../../policy/src/value.ts';
import type { Random } from './random.ts';

const COMPARISONS = ['<', '<=', '>', '>=', '==', '!='];
const UNITS = ['ETH', 'gwei', 'wei', 'SOL', 'lamports', 'TRX', 'sun', 'BTC', 'sat', 'USDC', 'USDT'];
const ADDRESSES = ['eth.tx.to', 'eth.tx.from', 'wallet_account.address', 'solana.tx.fee_payer'];

/** The examples of the reference: every construct of the language has one, also those that this file does not know. */
const examples: Readonly<Record<PolicyField, readonly string[]>> = (() => {
  const found: { field: PolicyField; text: string | undefined }[] = [
    ...namespaces.flatMap(({ field, example, type }) => [
      { field, text: example },
      ...structsIn(type).flatMap(({ fields }) => Object.values(fields).map((each) => ({ field, text: each.example }))),
    ]),
    ...[...listMethods.values()].map(({ example }) => ({ field: 'condition' as const, text: example })),
    ...[...functions.values()].map(({ fields: [field], example }) => ({ field, text: example })),
  ];
  const of = (field: PolicyField) =>
    found.flatMap((each) => (each.field === field && each.text !== undefined ? [each.text] : []));
  return { condition: of('condition'), consensus: of('consensus'), time: of('time') };
})();

function structsIn(type: Type): readonly StructType[] {
  if (type.kind === 'list' || type.kind === 'map') return structsIn(type.of);
  return type.kind === 'struct' ? [type, ...Object.values(type.fields).flatMap((field) => structsIn(field.type))] : [];
}

/**
 * Random expressions of the whole language. Literals come from the values of a request, so that comparisons are often true. Every expression
 * compiles.
 */
export class ExpressionMaker {
  private readonly random: Random;
  private readonly options: CheckOptions;
  private readonly byField: Readonly<Record<PolicyField, readonly Namespace[]>>;
  private variables = 0;

  constructor(random: Random, options: CheckOptions) {
    this.random = random;
    this.options = options;
    const all = [
      ...namespaces,
      ...(options.parameters ?? []).map(parameterNamespace),
      ...(options.controls ?? []).map(controlNamespace),
    ];
    const of = (field: PolicyField) => all.filter((namespace) => namespace.field === field);
    this.byField = { condition: of('condition'), consensus: of('consensus'), time: of('time') };
  }

  /** An expression for one field of a policy. */
  make(field: PolicyField, values: NamespaceValues): string {
    for (;;) {
      const text = this.combined(field, values);
      if (text.length < 2_000 && compileExpression(text, field, this.options).expression !== undefined) return text;
    }
  }

  private combined(field: PolicyField, values: NamespaceValues): string {
    const { random } = this;
    const count = random.pick([1, 1, 1, 2, 2, 3]);
    const parts = Array.from({ length: count }, () => {
      const atom = this.atomOf(field, values);
      return random.chance(0.12) ? `!(${atom})` : atom;
    });
    if (count === 1) return parts[0] as string;
    const joint = random.chance(0.65) ? ' && ' : ' || ';
    const text = parts.map((part) => (part.includes(' || ') || part.includes(' && ') ? `(${part})` : part)).join(joint);
    return random.chance(0.08) ? `!(${text})` : text;
  }

  private atomOf(field: PolicyField, values: NamespaceValues): string {
    const { random } = this;
    if (random.chance(field === 'time' ? 0.4 : 0.06)) return random.pick(examples[field]);
    const all = this.byField[field];
    const present = all.filter(({ path }) => values.has(path));
    const controls = all.filter(({ path }) => path.startsWith('controls.'));
    // Parameters are many, and would crowd out everything else.
    const others = all.filter(({ path }) => !path.startsWith('activity.params.'));
    const [choice] = [random.chance(0.1) ? controls : [], random.chance(0.8) ? present : [], others].filter(
      (each) => each.length > 0,
    );
    const namespace = random.pick(choice ?? all);
    this.variables = 0;
    return this.atom(namespace.path, namespace.type, values.get(namespace.path), 0);
  }

  private atom(path: string, type: Type, value: PolicyValue | undefined, depth: number): string {
    const { random } = this;
    switch (type.kind) {
      case 'bool':
        return random.pick([path, path, `!${path}`, `${path} == false`]);
      case 'int':
        return this.integer(path, typeof value === 'bigint' ? value : BigInt(random.below(5)));
      case 'timestamp':
        return `${path} ${random.pick(['<', '>='])} Timestamp('${random.pick(['2026-03-01', '2026-06-01', '2030-01-01'])}T00:00:00Z')`;
      case 'string':
      case 'address':
        return this.text(path, type, typeof value === 'string' ? value : undefined);
      case 'list':
        return this.list(path, type.of, value !== undefined && isList(value) ? value : [], depth);
      case 'struct': {
        const names = Object.keys(type.fields);
        const known = isRecord(value ?? '') ? names.filter((name) => this.member(value, name) !== undefined) : [];
        const name = random.pick(known.length > 0 && random.chance(0.85) ? known : names);
        const field = type.fields[name] as StructType['fields'][string];
        const inner = this.member(value, name);
        if (field.lookup !== true) return this.atom(`${path}.${name}`, field.type, inner, depth);
        const key = random.pick(['vendors', 'payroll', 'none']);
        const found = inner !== undefined && isMap(inner) ? inner.get(key) : undefined;
        return this.atom(`${path}.${name}('${key}')`, (field.type as Type & { kind: 'map' }).of, found, depth);
      }
      case 'map': {
        const keys =
          value !== undefined && isMap(value)
            ? [...value.keys()]
            : value !== undefined && isRecord(value)
              ? Object.keys(value)
              : [];
        const key = keys.length > 0 ? random.pick(keys) : 'amount';
        const inner = value !== undefined && isMap(value) ? value.get(key) : this.member(value, key);
        return this.atom(`${path}[${quoted(key)}]`, type.of, inner, depth);
      }
      default:
        return this.dynamic(path, value, depth);
    }
  }

  private member(value: PolicyValue | undefined, name: string): PolicyValue | undefined {
    return value !== undefined && isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }

  private integer(path: string, value: bigint): string {
    const { random } = this;
    const operator = random.pick(COMPARISONS);
    const literal = value + BigInt(random.pick([0, 0, 1, -1]));
    const near = literal < 0n ? `0 - ${-literal}` : String(literal);
    return random.pick([
      `${path} ${operator} ${near}`,
      `${path} ${operator} ${near}`,
      `${path} * 2 - ${random.below(3)} ${operator} ${2n * (literal < 0n ? 0n : literal)}`,
      `${path} / ${random.below(4)} ${operator} ${(literal < 0n ? 0n : literal) / 3n}`,
      `${path} in [${near.startsWith('0 -') ? '0' : near}, ${random.below(9)}]`,
      `${path} ${operator} ${random.below(5)} ${random.pick(UNITS)}`,
    ]);
  }

  private text(path: string, type: Type & { kind: 'string' | 'address' }, value: string | undefined): string {
    const { random } = this;
    const words = type.kind === 'string' ? (type.words ?? this.options.vocabularies?.[type.vocabulary ?? ''] ?? []) : [];
    const own = value !== undefined && value.length <= 200 && !/\p{Cc}/u.test(value) ? value : undefined;
    const literal = quoted(
      own !== undefined && random.chance(0.75) ? own : words.length > 0 ? random.pick(words) : random.pick(TEXTS),
    );
    const other = quoted(words.length > 0 ? random.pick(words) : random.pick(TEXTS));
    const forms = [
      `${path} == ${literal}`,
      `${path} == ${literal}`,
      `${path} != ${literal}`,
      `${path} in [${other}, ${literal}]`,
      `!(${path} in [${literal}, ${other}])`,
    ];
    if (type.kind === 'address') {
      forms.push(`${path} in contacts.all`, `${path} in contacts.tagged('vendors')`, `!(${path} in contacts.all)`);
      forms.push(`${path} == ${random.pick(ADDRESSES)}`, `${path} in [${random.pick(ADDRESSES)}, ${literal}]`);
    } else if (own !== undefined && own.length > 1) {
      const end = 1 + random.below(Math.min(10, [...own].length));
      forms.push(`${path}[0..${end}] == ${quoted([...own].slice(0, end).join(''))}`);
    }
    return random.pick(forms);
  }

  private list(path: string, of: Type, values: readonly PolicyValue[], depth: number): string {
    const { random } = this;
    const element = values.length > 0 ? random.pick(values) : undefined;
    const position = random.below(Math.max(1, values.length));
    const counted = `${random.pick(COMPARISONS)} ${random.below(4)}`;
    if (depth >= 2) return `${path}.count() ${counted}`;
    const name = `${'xyzuvw'[this.variables] ?? 'w'}`;
    this.variables += 1;
    const body = () => {
      const parts = Array.from({ length: random.pick([1, 1, 2]) }, () => this.atom(name, of, element, depth + 1));
      return parts.map((part) => (parts.length > 1 ? `(${part})` : part)).join(random.pick([' && ', ' || ']));
    };
    const method = random.pick(['all', 'any', 'none']);
    const forms: (() => string)[] = [
      () => `${path}.${method}(${name}, ${body()})`,
      () => `${path}.${method}(${name}, ${body()})`,
      () => `${path}.filter(${name}, ${body()}).count() ${counted}`,
      () => `${path}.filter(${name}, ${body()}).${method}(${name}, ${body()})`,
      () => `${path}.count() ${counted}`,
      () => this.atom(`${path}[${position}]`, of, values[position], depth + 1),
      () => this.sum(path, name, of, values, body),
    ];
    if (of.kind === 'string' || of.kind === 'address') {
      const literal = quoted(typeof element === 'string' && element.length < 200 ? element : random.pick(TEXTS));
      forms.push(
        () => `${path}.contains(${literal})`,
        () => `!${path}.contains(${literal})`,
        () => `${literal} in ${path}`,
      );
    }
    return random.pick(forms)();
  }

  private sum(path: string, name: string, of: Type, values: readonly PolicyValue[], body: () => string): string {
    const { random } = this;
    const numbers = of.kind === 'struct' ? Object.keys(of.fields).filter((field) => of.fields[field]?.type.kind === 'int') : [];
    if (numbers.length === 0) return `${path}.count() >= ${random.below(3)}`;
    const field = random.pick(numbers);
    const total = values.reduce((sum: bigint, each) => {
      const one = this.member(each, field);
      return typeof one === 'bigint' ? sum + one : sum;
    }, 0n);
    const from = random.chance(0.5) ? path : `${path}.filter(${name}, ${body()})`;
    return `${from}.sum(${name}, ${name}.${field}) ${random.pick(COMPARISONS)} ${total}`;
  }

  private dynamic(path: string, value: PolicyValue | undefined, depth: number): string {
    const { random } = this;
    if (typeof value === 'bigint') return random.pick([this.integer(path, value), `${path} == '${value}'`]);
    if (typeof value === 'boolean') return `${path} == ${value}`;
    if (typeof value === 'string' && value.length < 200) return `${path} ${random.pick(['==', '!='])} ${quoted(value)}`;
    if (value !== undefined && isList(value) && depth < 3) return `${path}.count() >= ${random.below(2)}`;
    return `${path} == 1`;
  }
}

const TEXTS: readonly string[] = [
  '0x00000000000000000000000000000000000000aa',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  'OP_RETURN',
  'UNUSUAL_SCRIPT',
  'USDC',
  'tag-ops',
  'hot',
  'a',
  'b',
];

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

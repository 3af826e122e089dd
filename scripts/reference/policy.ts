import { language, typeName } from '@countersign/policy';
import { policyOptions } from '@countersign/server';
import { block, code, page, table } from './markdown.ts';

type Type = Parameters<typeof typeName>[0];
type Fields = Extract<Type, { kind: 'struct' }>['fields'];

/** The policy language: every table of packages/policy with its documentation. */
export function policyPage(): string {
  return page('Policy language', 'packages/policy', [
    'A policy has an effect and three expressions: `condition` selects the activities, `consensus` defines who must approve, and `time` when the policy applies. An absent expression is true. This page lists everything that an expression can contain. [Parameters](policy-parameters.md) lists `activity.params`, and [conformance/policy](../../conformance/policy/README.md) defines the language by cases.',
    '`&&` and `||` stop at the first operand that decides: `false && x` is false and `true || x` is true, even if `x` is an error. A DENY evaluates every operand, and an operand that reads a field of an effect is always evaluated. All other operators evaluate all of their parts, including every element of a list, and an error in an evaluated part is an error of the whole expression. An ALLOW with an error grants nothing, and a DENY with an error denies. A policy that refers to a namespace or parameter that this kind of request does not have does not apply to it.',
    'Policies authorize queries too if the organization restricts reading: their action is `READ`, their kind is the name of the query in upper case, and they have no type. A policy counts for a query only if its condition requires `READ` or names the query ([guide](../guide/reading.md)).',
    '## Namespaces',
    ...language.namespaces.flatMap(({ path, field, type, doc, example, onlyIn, alwaysIn }) => [
      `### ${path}`,
      `${code(typeName(type))} in the ${field}. ${doc}.${where(onlyIn ?? alwaysIn)}`,
      example === undefined ? '' : block('policy', example),
    ]),
    '## Records',
    ...[...records()].flatMap(([name, fields]) => [
      `### ${name}`,
      table(['Field', 'Type', 'Description'], fieldRows(fields)),
      ...examples(fields),
    ]),
    '## Literals',
    table(
      ['Type', 'Syntax', 'Example'],
      language.literals.map(({ type, doc, example }) => [code(type), doc, code(example)]),
    ),
    '## Units',
    'A number with a unit is an integer of base units. State the asset in the same expression: a unit is only a notation for a number.',
    table(
      ['Unit', 'Description', 'Decimals', 'Example'],
      language.units.map(({ name, doc, decimals, example }) => [code(name), doc, String(decimals), code(example)]),
    ),
    'Symbols of tokens are units too. If the decimals of a token differ between chains, the expression must state the chain, with `eth.tx.chain_id == …` or the `asset` of an effect next to the amount. These symbols are built in; tokens that an organization adds are not units, so that no one can change the meaning of a policy.',
    table(
      ['Token', 'Decimals'],
      [...(policyOptions.units ?? [])].map(([symbol, chains]) => [code(symbol), decimalsText(chains)]),
    ),
    '## Operators',
    'From highest to lowest precedence. Operators in one row associate from left to right.',
    table(
      ['Operators', 'Types', 'Description', 'Example'],
      language.operators.map(({ symbols, type, doc, example }) => [symbols.map(code).join(' '), type, doc, code(example)]),
    ),
    '## Methods of lists',
    table(
      ['Call', 'Result', 'Example'],
      language.methods.map(({ signature, doc, example }) => [code(signature), doc, code(example)]),
    ),
    '## Methods of texts',
    table(
      ['Call', 'Result', 'Example'],
      language.textMethods.map(({ signature, doc, example }) => [code(signature), doc, code(example)]),
    ),
    '## Functions',
    table(
      ['Call', 'Field', 'Result', 'Example'],
      language.functions.map(({ signature, fields, doc, example }) => [code(signature), fields.join(', '), doc, code(example)]),
    ),
    '## Comments',
    'A `#` outside quotes begins a comment, which ends with the line. Comments are stored with the policy and never change a decision.',
    block('policy', '# Small payments on Ethereum.\neth.tx.chain_id == 1 # Mainnet only.\n  && eth.tx.value <= 1 ETH'),
    '## Named constants',
    'An expression can begin with constants: literals, lists of literals, and numbers computed from them. A constant may use the constants before it, and every constant must be used.',
    block('policy', 'let limit = 5 ETH;\nlet chains = [1, 10];\neth.tx.chain_id in chains && eth.tx.value <= limit'),
    '## Limits',
    table(
      ['Limit', 'Description'],
      Object.entries(language.limitDocs).map(([name, doc]) => [
        language.limits[name as keyof typeof language.limits].toLocaleString('en-US'),
        doc,
      ]),
    ),
    '## Errors of evaluation',
    codes(language.errors),
    '## Diagnostics',
    'A policy with one of these errors is rejected. Each diagnostic shows its position and, if known, a correction.',
    codes(language.diagnostics),
    '## Warnings',
    '`create_policy`, `update_policy` and `countersign policy check` warn about policies that are valid but probably not what their author intended. The command also shows a request that bypasses the policy.',
    codes(language.warnings),
  ]);
}

function where(kinds: ReadonlySet<string> | undefined): string {
  return kinds === undefined || kinds.size === 0 ? '' : ` Only in ${[...kinds].map(code).join(', ')}.`;
}

/** The records of the language by name. */
function records(): ReadonlyMap<string, Fields> {
  const found = new Map<string, Fields>();
  const visit = (type: Type): void => {
    if (type.kind === 'list' || type.kind === 'map') visit(type.of);
    if (type.kind !== 'struct' || found.has(type.name)) return;
    found.set(type.name, type.fields);
    for (const { type: inner } of Object.values(type.fields)) visit(inner);
  };
  for (const { type } of language.namespaces) visit(type);
  return found;
}

function fieldRows(fields: Fields): readonly (readonly string[])[] {
  return Object.entries(fields).map(([name, { type, doc }]) => [code(name), code(typeName(type)), doc]);
}

function examples(fields: Fields): readonly string[] {
  const texts = Object.values(fields).flatMap(({ example }) => (example === undefined ? [] : [example]));
  return texts.length === 0 ? [] : [block('policy', texts.join('\n'))];
}

function decimalsText(chains: ReadonlyMap<string, number>): string {
  const distinct = [...new Set(chains.values())];
  if (distinct.length === 1) return String(distinct[0]);
  return distinct
    .map(
      (decimals) =>
        `${decimals} on ${[...chains]
          .filter(([, own]) => own === decimals)
          .map(([chain]) => code(chain))
          .join(', ')}`,
    )
    .join('; ');
}

function codes(entries: Readonly<Record<string, string>>): string {
  return table(
    ['Code', 'Description'],
    Object.entries(entries).map(([name, doc]) => [code(name), doc]),
  );
}

import { type EachNode, partsOf, type Typed } from '../check/typed.ts';
import type { CompiledExpression } from '../expression.ts';
import type { CompiledPolicy } from '../policy.ts';
import { requester } from '../schema/engine.ts';
import { wallet } from '../schema/organization.ts';
import { user } from '../schema/people.ts';

/** An attribute for which policies trust users, keys and wallets, and that activities can change. */
export type Attribute =
  | 'user.tags'
  | 'user.alias'
  | 'user.email'
  | 'private_key.tags'
  | 'wallet.label'
  | 'wallet_account.address';

const userAttributes = ['tags', 'alias', 'email'] as const;
const userFields: ReadonlyMap<string, Attribute> = new Map(userAttributes.map((field) => [field, `user.${field}`]));
const fixedPaths: ReadonlyMap<string, Attribute> = new Map([
  ...(['private_key.tags', 'wallet.label', 'wallet_account.address'] as const).map((path) => [path, path] as const),
  ...userAttributes.map((field) => [`${requester.path}.${field}`, `user.${field}`] as const),
]);

const known = new WeakMap<CompiledExpression, ReadonlySet<Attribute>>();

/**
 * The attributes that a policy reads in any other way than by comparing a whole value with a literal, such as their beginning or number.
 * Every value of such an attribute can then matter, not only the values that the policy contains.
 */
export function openAttributes({ condition, consensus }: CompiledPolicy): readonly Attribute[] {
  return [condition, consensus].flatMap((expression) => (expression === undefined ? [] : [...attributesOf(expression)]));
}

function attributesOf(expression: CompiledExpression): ReadonlySet<Attribute> {
  const found = known.get(expression) ?? new Set(openIn(expression.typed));
  known.set(expression, found);
  return found;
}

function openIn(node: Typed): readonly Attribute[] {
  const attribute = attributeOf(node);
  if (attribute !== undefined) return [attribute];
  return partsOf(node)
    .filter((part) => !isComparedWith(node, part))
    .flatMap(openIn);
}

/** Whether a node compares the whole value of its part, or each whole element of it, with literals. */
function isComparedWith(node: Typed, part: Typed): boolean {
  if (attributeOf(part) === undefined) return false;
  return (
    node.kind === 'oneOf' || node.kind === 'hasOneOf' || (node.kind === 'each' && node.list === part && asksForLiterals(node))
  );
}

/** Whether elements that equal no literal make no difference to a predicate. */
function asksForLiterals({ quantifier, slot, body }: EachNode): boolean {
  if (body.kind !== 'oneOf' || body.operand.kind !== 'variable' || body.operand.slot !== slot) return false;
  return body.negated === (quantifier === 'every');
}

function attributeOf(node: Typed): Attribute | undefined {
  if (node.kind === 'read') return fixedPaths.get([node.namespace.path, ...node.path].join('.'));
  if (node.kind !== 'field') return undefined;
  if (node.base.type === user.type) return userFields.get(node.name);
  return node.base.type === wallet && node.name === 'label' ? 'wallet.label' : undefined;
}

import { conjunctsOf, type EachNode, type Scalar, someNode, type Typed } from '../check/typed.ts';
import { effect } from '../schema/effects.ts';
import type { Namespace } from '../schema/namespace.ts';
import { isPayment, payments } from '../schema/payments.ts';

const kindType = effect.fields.kind?.type;
const everyKind: readonly string[] = kindType?.kind === 'string' ? (kindType.words ?? []) : [];

/** Whether a node is a list of the request itself, not a part of it. */
export function isListOf(node: Typed, namespace: Pick<Namespace, 'path'>): boolean {
  return node.kind === 'read' && node.namespace.path === namespace.path && node.path.length === 0;
}

/** Whether a node is a filtered part of `effects`. */
export function isPartOfEffects(node: Typed): boolean {
  if (node.kind !== 'each' || node.quantifier !== 'select') return false;
  return isListOf(node.list, { path: 'effects' }) || isPartOfEffects(node.list);
}

/** Whether a condition is false or in error for everything that is not a payment. */
export function demandsPayment(condition: Typed): boolean {
  return conjunctsOf(condition).some((clause) => {
    if (isListOf(clause, isPayment)) return true;
    return !['or', 'not'].includes(clause.kind) && someNode(clause, (node) => isListOf(node, payments));
  });
}

/** The kinds of effects that a condition allows: those of a rule for all effects, without those that it excludes. */
export function kindsAllowed(condition: Typed): ReadonlySet<Scalar> {
  if (demandsPayment(condition)) return new Set(['TRANSFER', 'FEE']);
  let kinds: readonly Scalar[] = everyKind;
  for (const clause of conjunctsOf(condition)) {
    if (clause.kind !== 'each' || !isListOf(clause.list, { path: 'effects' })) continue;
    const named = kindsIn(clause.body);
    if (named === undefined) continue;
    if (clause.quantifier === 'every') kinds = kinds.filter((kind) => named.has(kind));
    else if (clause.quantifier === 'no' && clause.body.kind === 'oneOf') kinds = kinds.filter((kind) => !named.has(kind));
  }
  return new Set(kinds);
}

/** The kinds that a predicate demands of an effect. Undefined if it demands none. */
function kindsIn(body: Typed): ReadonlySet<Scalar> | undefined {
  if (body.kind === 'oneOf')
    return !body.negated && body.operand.kind === 'field' && body.operand.name === 'kind' ? body.values : undefined;
  if (body.kind === 'and') return body.operands.map(kindsIn).find((kinds) => kinds !== undefined);
  if (body.kind !== 'or') return undefined;
  const parts = body.operands.map(kindsIn);
  return parts.every((part) => part !== undefined) ? new Set(parts.flatMap((part) => [...part])) : undefined;
}

/** The assets that a rule for all payments allows. Undefined if no rule restricts them. */
export function assetsAllowed(condition: Typed): ReadonlySet<Scalar> | undefined {
  for (const clause of conjunctsOf(condition)) {
    if (clause.kind !== 'each' || clause.quantifier !== 'every' || !isListOf(clause.list, payments)) continue;
    const named = assetsIn(clause);
    if (named !== undefined) return named;
  }
  return undefined;
}

/** The assets to which a predicate on a payment restricts it. */
export function assetsIn({ body }: EachNode): ReadonlySet<Scalar> | undefined {
  for (const clause of conjunctsOf(body))
    if (clause.kind === 'oneOf' && !clause.negated && clause.operand.kind === 'field' && clause.operand.name === 'asset')
      return clause.values;
  return undefined;
}

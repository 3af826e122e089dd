import { all } from '../builtins/list-methods.ts';
import { total } from '../builtins/total.ts';
import type { NamedAsset } from '../builtins/units.ts';
import type { Comparison, Expression } from '../syntax/ast.ts';
import type { Span } from '../syntax/span.ts';
import { t } from '../types.ts';
import type { CheckContext } from './context.ts';
import { invalid, type Typed } from './typed.ts';

type Chains = ReadonlySet<string> | undefined;
type Assets = ReadonlyMap<string, NamedAsset>;

const noAssets: Assets = new Map();

/** The entries that a name means on these chains, or on its home chain if the expression states none. */
function entriesOf({ home, byChain }: NamedAsset, chains: Chains): readonly { chain: string; id: string }[] {
  const meant = chains ?? new Set(home === undefined ? [] : [home]);
  return [...byChain].flatMap(([chain, { id }]) => (meant.has(chain) ? [{ chain, id }] : []));
}

/**
 * Checks a name that is an asset. Undefined for other names.
 * SECURITY: a name is bound to shipped entries by chain and contract when the policy is compiled. Symbols of requests and tokens that an
 * organization adds never decide what it means. Without a stated chain it has one meaning, so that fees and amounts with it have one
 * unit, and a release that ships the asset on further chains does not widen stored policies.
 */
export function checkNamedAsset(name: string, span: Span, chains: Chains, { options, report }: CheckContext): Typed | undefined {
  const asset = options.assets?.get(name);
  if (asset === undefined) return undefined;
  const [first, ...others] = entriesOf(asset, chains).map(({ id }) => id);
  if (first === undefined) {
    const message =
      chains === undefined ? `\`${name}\` exists on several chains` : `no \`${name}\` is known on ${[...chains].join(', ')}`;
    const help = `state one of ${[...asset.byChain.keys()].join(', ')}, or write the CAIP-19 name of the asset in quotes`;
    report('AMBIGUOUS_UNIT', span, message, help);
    return invalid(span);
  }
  return { kind: 'constant', value: first, ids: [first, ...others], type: t.namedAsset, span };
}

/**
 * The chains to which the assets in the operands of one `&&` restrict it: `p.asset == USDC`, `p.asset in [USDC, DAI]`, and the same in a
 * rule for all payments, which holds for at least one. Undefined if they do not restrict it.
 */
export function chainsOfAssets(operands: readonly Expression[], stated: Chains, assets: Assets = noAssets): Chains {
  let chains: Chains;
  for (const operand of operands) {
    const named = chainsOfOperand(operand, stated, assets);
    const before: Chains = chains;
    if (named !== undefined) chains = before === undefined ? named : new Set([...named].filter((chain) => before.has(chain)));
  }
  return chains;
}

function chainsOfOperand(operand: Expression, stated: Chains, assets: Assets): Chains {
  if (operand.kind === 'compare' && operand.operator === '==')
    return chainsOfLiterals(operand.left, [operand.right], stated, assets);
  if (operand.kind === 'in' && operand.list.kind === 'list')
    return chainsOfLiterals(operand.item, operand.list.items, stated, assets);
  const body = operand.kind === 'method' && operand.name === all.name && isPayments(operand.base) ? operand.args[1] : undefined;
  return body === undefined ? undefined : chainsOfAssets(body.kind === 'and' ? body.operands : [body], stated, assets);
}

function chainsOfLiterals(subject: Expression, literals: readonly Expression[], stated: Chains, assets: Assets): Chains {
  if (subject.kind !== 'field' || subject.name !== 'asset') return undefined;
  const found = literals.map((literal): readonly string[] | undefined => {
    if (literal.kind === 'string') return /^[^/]+(?=\/)/.exec(literal.value)?.slice(0, 1);
    const asset = literal.kind === 'name' ? assets.get(literal.name) : undefined;
    return asset === undefined ? undefined : entriesOf(asset, stated).map(({ chain }) => chain);
  });
  return found.every((chains) => chains !== undefined) ? new Set(found.flat()) : undefined;
}

function isPayments(expression: Expression): boolean {
  return (
    expression.kind === 'field' &&
    expression.name === 'payments' &&
    expression.base.kind === 'name' &&
    expression.base.name === 'tx'
  );
}

/** The chains of the asset whose total is compared: `tx.payments.total(USDC) <= 5 USDC`. Undefined for other comparisons. */
export function chainsOfTotal({ left, right }: Comparison, stated: Chains, assets: Assets = noAssets): Chains {
  for (const side of [left, right]) {
    const argument = side.kind === 'method' && side.name === total.name && isPayments(side.base) ? side.args[0] : undefined;
    const asset = argument?.kind === 'name' ? assets.get(argument.name) : undefined;
    const chains = asset === undefined ? [] : entriesOf(asset, stated).map(({ chain }) => chain);
    if (chains.length > 0) return new Set(chains);
  }
  return undefined;
}

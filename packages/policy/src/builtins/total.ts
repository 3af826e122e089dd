import type { CheckOptions } from '../check/options.ts';
import type { Typed } from '../check/typed.ts';
import { payment } from '../schema/payments.ts';
import type { Expression } from '../syntax/ast.ts';
import { t } from '../types.ts';
import type { PolicyValue } from '../value.ts';
import type { ListMethod } from './list-method.ts';

/** The variable of `total`. No expression can name it. */
const EACH = 'each payment';

/** `tx.payments.total(asset)`: the same tree as `tx.payments.filter(p, p.asset == asset).sum(p, p.amount)` */
export const total: ListMethod = Object.freeze({
  name: 'total',
  signature: 'tx.payments.total(asset)',
  doc: 'The sum of all payments in one asset, in base units. Payments in other assets do not count, so a limit on it needs `tx.payments.all(p, p.asset == …)` beside it.',
  example: 'tx.payments.all(p, p.asset == USDC) && tx.payments.total(USDC) <= 500 USDC',
  knownElsewhereAs: [],
  check: ({ list, element, args, span, context, checkArgument, checkPredicate, checkEach }) => {
    const [asset] = args;
    if (element !== payment)
      return context.report('UNKNOWN_METHOD', span, 'only `tx.payments` has a total', 'write list.sum(item, number)');
    if (asset === undefined || args.length !== 1 || (asset.kind !== 'name' && asset.kind !== 'string')) return 'WRONG_ARGUMENTS';
    const checked = checkArgument(asset);
    if (checked.type.kind === 'unknown') return undefined;
    if (checked.kind !== 'constant') return 'WRONG_ARGUMENTS';
    if (!hasOneScale(checked, context.options)) {
      const help = 'state one chain, for example with `&& eth.tx.chain_id == 1`';
      return context.report('AMBIGUOUS_UNIT', asset.span, 'this asset has other decimals on other chains', help);
    }
    const each: Expression = { kind: 'name', name: EACH, span };
    const field = (name: string): Expression => ({ kind: 'field', base: each, name, nameSpan: span, span });
    const same = checkPredicate(EACH, { kind: 'compare', operator: '==', left: field('asset'), right: asset, span });
    if (same.body.type.kind === 'unknown') return undefined;
    const conclude = (kept: readonly PolicyValue[]) => kept;
    const selected: Typed = {
      kind: 'each',
      quantifier: 'select',
      conclude,
      list,
      variable: EACH,
      ...same,
      type: list.type,
      span,
    };
    return { kind: 'sumOf', list: selected, variable: EACH, ...checkEach(EACH, field('amount')), type: t.int, span };
  },
} satisfies ListMethod);

/** Whether all entries of a named asset have the same decimals. Otherwise one number means different amounts. */
function hasOneScale({ ids = [] }: Typed & { kind: 'constant' }, { assets = new Map() }: CheckOptions): boolean {
  const entries = [...assets.values()].flatMap(({ byChain }) => [...byChain.values()]);
  return new Set(entries.filter(({ id }) => ids.includes(id)).map(({ decimals }) => decimals)).size < 2;
}

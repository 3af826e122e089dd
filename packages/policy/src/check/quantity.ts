import type { TokenUnit } from '../builtins/units.ts';
import { coinUnits } from '../schema/chains.ts';
import type { Quantity } from '../syntax/ast.ts';
import { MAX_LITERAL } from '../syntax/number.ts';
import { t } from '../types.ts';
import type { CheckContext } from './context.ts';
import { didYouMean } from './suggest.ts';
import type { Typed } from './typed.ts';

const none: ReadonlyMap<string, TokenUnit> = new Map();

/**
 * Checks a number with a unit and converts it to base units. `chains` are the chains to which the expression is restricted, if any. Reports
 * a problem and returns undefined.
 */
export function checkQuantity(
  { digits, places, unit, unitSpan, span }: Quantity,
  chains: ReadonlySet<string> | undefined,
  { options: { units = none }, report }: CheckContext,
): Typed | undefined {
  const coin = coinUnits.get(unit);
  const token = coin === undefined ? units.get(unit) : undefined;
  if (coin === undefined && token === undefined) {
    const help = didYouMean(unit, [...coinUnits.keys(), ...units.keys()]);
    return report('UNKNOWN_UNIT', unitSpan, `there is no unit \`${unit}\``, help);
  }
  const [decimals, ...others] = coin === undefined ? decimalsOf(token ?? new Map(), chains) : [coin.decimals];
  // SECURITY: the decimals depend on the chain. A guess could be wrong by twelve digits.
  if (decimals === undefined || others.length > 0) {
    const message = `\`${unit}\` has other decimals on other chains`;
    const help = 'say which chain you mean with `&& eth.tx.chain_id == …`, or write the amount in base units';
    return report('AMBIGUOUS_UNIT', unitSpan, message, help);
  }
  if (places > decimals) {
    const help = decimals === 0 ? 'write a whole number' : undefined;
    return report('TOO_PRECISE', span, `\`${unit}\` has ${decimals} digits after the point, and this has ${places}`, help);
  }
  const value = digits * 10n ** BigInt(decimals - places);
  if (value > MAX_LITERAL) return report('INTEGER_OUT_OF_RANGE', span, 'this amount does not fit into 256 bits');
  return { kind: 'constant', value, unit, type: t.int, span };
}

/** The decimals of a token on these chains, or on all chains if it exists on none of these. */
function decimalsOf(token: TokenUnit, chains: ReadonlySet<string> | undefined): readonly number[] {
  const known = [...token].filter(([chain]) => chains === undefined || chains.has(chain));
  return [...new Set((known.length === 0 ? [...token] : known).map(([, decimals]) => decimals))];
}

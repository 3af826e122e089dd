import { toChecksumAddress } from '../../addresses/ethereum.ts';
import type { Asset } from '../../effects/effect.ts';
import { formatQuantity } from '../../effects/quantity.ts';
import { roleOf } from './known-contracts.ts';
import type { Call, CallScope } from './scope.ts';

const nobody = `0x${'0'.repeat(40)}`;

/** An exchange of one token for another by a router. */
export interface Swap {
  readonly name: string;
  readonly tokenIn: string;
  readonly tokenOut: string;
  /** The most that is paid. Undefined where the router pays from what it holds already. */
  readonly amountIn: bigint | undefined;
  /** The least that comes back. */
  readonly amountOut: bigint;
  readonly recipient: string;
}

/** Reports a swap: the payment to the router, and the amount and receiver of the result. */
export function swap({ name, tokenIn, tokenOut, amountIn, amountOut, recipient }: Swap, call: Call, scope: CallScope): void {
  // A router that pays from its balance pays wrapped coins in coins if it has any.
  if (amountIn === undefined && call.purse !== undefined) call.purse.coins = 0n;
  if (amountIn !== undefined && !paidInCoins(tokenIn, amountIn, call, scope)) {
    scope.found.add({ kind: 'TRANSFER', asset: scope.token(tokenIn), amount: amountIn, from: call.from, to: call.to });
  }
  payOut(name, scope.token(tokenOut), amountOut, recipient, call, scope);
}

/**
 * Reports that a router pays out at least `amount`. SECURITY: a receiver other than the caller gets a separate TRANSFER effect, so that
 * policies see it without reading a text.
 */
export function payOut(name: string, asset: Asset, amount: bigint, recipient: string, call: Call, scope: CallScope): void {
  const much = `${name} for at least ${formatQuantity({ asset, amount })}`;
  const whose =
    recipient === call.from
      ? ''
      : recipient === call.to
        ? ', which the router keeps for a later step,'
        : ` to ${shown(recipient)}`;
  scope.found.add({ kind: 'CALL', what: `${much}${whose}`, to: call.to });
  if (recipient !== call.from && recipient !== call.to) {
    scope.found.add({ kind: 'TRANSFER', asset, from: call.from, to: recipient });
  }
}

/** The token, or the coin for the zero address. */
export function tokenOrCoin(address: string, scope: CallScope): Asset {
  return address === nobody ? scope.coin : scope.token(address);
}

/** Uniswap: 1 stands for the caller and 2 for the router, in every router after the first of v3. */
export function actualRecipient(recipient: string, call: Call): string {
  if (recipient === `0x${'0'.repeat(39)}1`) return call.from;
  return recipient === `0x${'0'.repeat(39)}2` ? call.to : recipient;
}

/** The first and last token of a v3 path: token (20 bytes), then fee (3) and token again and again. */
export function endsOfPath(path: Uint8Array): { readonly first: Uint8Array; readonly last: Uint8Array } | undefined {
  if (path.length < 43 || (path.length - 20) % 23 !== 0) return undefined;
  return { first: path.subarray(0, 20), last: path.subarray(-20) };
}

/** Routers of v3 pay wrapped coins from the coins that they were sent, as long as those last. */
function paidInCoins(token: string, amount: bigint, { purse }: Call, scope: CallScope): boolean {
  if (purse === undefined || purse.coins < amount || roleOf(scope.chainId, token) !== 'WRAPPED_COIN') return false;
  purse.coins -= amount;
  return true;
}

function shown(address: string): string {
  return toChecksumAddress(address);
}

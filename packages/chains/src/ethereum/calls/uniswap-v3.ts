import { isUnlimited } from '../../effects/unlimited.ts';
import { toHex } from '../../shared/bytes.ts';
import type { Arguments } from './arguments.ts';
import { actualRecipient, endsOfPath, payOut, swap } from './router-payments.ts';
import { type Call, type CallScope, type FunctionTable, functionTable, joinTables } from './scope.ts';
import { uniswapV2InRouter2 } from './uniswap-v2.ts';

type Read = (args: Arguments, call: Call, scope: CallScope) => void;

/** What both routers offer for use inside of a multicall. Recipients are taken literally here: no address stands for another. */
const payments: { readonly [signature: string]: Read } = {
  'unwrapWETH9(uint256 amountMinimum, address recipient)': (args, call, scope) =>
    payOut('unwrapWETH9', scope.coin, args.uint('amountMinimum'), args.address('recipient'), call, scope),
  'sweepToken(address token, uint256 amountMinimum, address recipient)': (args, call, scope) => {
    const asset = scope.token(args.address('token'));
    payOut('sweepToken', asset, args.uint('amountMinimum'), args.address('recipient'), call, scope);
  },
  'refundETH()': (_, call, scope) => {
    emptyPurse(call);
    scope.found.add({ kind: 'CALL', what: 'refundETH', to: call.to });
  },
  'selfPermit(address token, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)': (args, call, scope) => {
    const amount = args.uint('value');
    const asset = scope.token(args.address('token'));
    const unlimited = isUnlimited(amount, 256);
    scope.found.add({ kind: 'ALLOWANCE', asset, amount, from: call.from, to: call.to, unlimited });
  },
};

/** Uniswap V3 SwapRouter, the first one: with a deadline in each swap. The zero address stands for the router. */
export const uniswapV3Router: FunctionTable = functionTable({
  ...swaps('uint256 deadline, ', (recipient, call) => (recipient === `0x${'0'.repeat(40)}` ? call.to : recipient), false),
  ...payments,
  'multicall(bytes[] data)': openAll,
});

/** Uniswap SwapRouter02. */
export const uniswapV3Router2: FunctionTable = joinTables(
  functionTable({
    ...swaps('', actualRecipient, true),
    ...payments,
    'unwrapWETH9(uint256 amountMinimum)': (args, call, scope) =>
      payOut('unwrapWETH9', scope.coin, args.uint('amountMinimum'), call.from, call, scope),
    'sweepToken(address token, uint256 amountMinimum)': (args, call, scope) =>
      payOut('sweepToken', scope.token(args.address('token')), args.uint('amountMinimum'), call.from, call, scope),
    'wrapETH(uint256 value)': (_, call, scope) => {
      emptyPurse(call);
      scope.found.add({ kind: 'CALL', what: 'wrapETH, which the router keeps for a later step,', to: call.to });
    },
    'pull(address token, uint256 value)': (args, call, scope) => {
      const asset = scope.token(args.address('token'));
      scope.found.add({ kind: 'TRANSFER', asset, amount: args.uint('value'), from: call.from, to: call.to });
    },
    'multicall(bytes[] data)': openAll,
    'multicall(uint256 deadline, bytes[] data)': openAll,
    'multicall(bytes32 previousBlockhash, bytes[] data)': openAll,
  }),
  uniswapV2InRouter2,
);

/** The four swaps. `zeroMeansHeld`: an input of 0 means what the router holds. */
function swaps(
  deadline: string,
  recipientOf: typeof actualRecipient,
  zeroMeansHeld: boolean,
): { readonly [signature: string]: Read } {
  const paid = (amount: bigint) => (zeroMeansHeld && amount === 0n ? undefined : amount);
  const single = (name: string, amountIn: string, amountOut: string): Read => {
    return (args, call, scope) => {
      const params = args.tuple('params');
      swap(
        {
          name,
          tokenIn: params.address('tokenIn'),
          tokenOut: params.address('tokenOut'),
          amountIn: paid(params.uint(amountIn)),
          amountOut: params.uint(amountOut),
          recipient: recipientOf(params.address('recipient'), call),
        },
        withPurse(call),
        scope,
      );
    };
  };
  const along = (name: string, amountIn: string, amountOut: string, reversed: boolean): Read => {
    return (args, call, scope) => {
      const params = args.tuple('params');
      const ends = endsOfPath(params.bytes('path'));
      if (ends === undefined) {
        scope.unknown(name, call.to, call.data.length, `The path of ${name} is not made of tokens and fees.`);
        return;
      }
      const [tokenIn, tokenOut] = reversed ? [ends.last, ends.first] : [ends.first, ends.last];
      swap(
        {
          name,
          tokenIn: toHex(tokenIn),
          tokenOut: toHex(tokenOut),
          amountIn: paid(params.uint(amountIn)),
          amountOut: params.uint(amountOut),
          recipient: recipientOf(params.address('recipient'), call),
        },
        withPurse(call),
        scope,
      );
      // The router pays the steps in between, in coins if it has any.
      if (params.bytes('path').length > 43) emptyPurse(call);
    };
  };
  const tokens = 'address tokenIn, address tokenOut, uint24 fee, address recipient';
  return {
    [`exactInputSingle((${tokens}, ${deadline}uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params)`]:
      single('exactInputSingle', 'amountIn', 'amountOutMinimum'),
    [`exactOutputSingle((${tokens}, ${deadline}uint256 amountOut, uint256 amountInMaximum, uint160 sqrtPriceLimitX96) params)`]:
      single('exactOutputSingle', 'amountInMaximum', 'amountOut'),
    [`exactInput((bytes path, address recipient, ${deadline}uint256 amountIn, uint256 amountOutMinimum) params)`]: along(
      'exactInput',
      'amountIn',
      'amountOutMinimum',
      false,
    ),
    // The path of an exact output runs from what comes back to what is paid.
    [`exactOutput((bytes path, address recipient, ${deadline}uint256 amountOut, uint256 amountInMaximum) params)`]: along(
      'exactOutput',
      'amountInMaximum',
      'amountOut',
      true,
    ),
  };
}

/** The router calls itself, with the same caller and the same purse. */
function openAll(args: Arguments, call: Call, scope: CallScope): void {
  const { purse } = withPurse(call);
  for (const data of args.bytesList('data'))
    scope.open({ from: call.from, to: call.to, value: 0n, data, ...(purse && { purse }) });
}

/**
 * SECURITY: after this step the coin balance of the router is unknown. Later swaps of wrapped coins count as paid by the caller, which
 * may be too much and is never too little.
 */
function emptyPurse({ purse }: Call): void {
  if (purse !== undefined) purse.coins = 0n;
}

function withPurse(call: Call): Call {
  return call.purse === undefined ? { ...call, purse: { coins: call.value } } : call;
}

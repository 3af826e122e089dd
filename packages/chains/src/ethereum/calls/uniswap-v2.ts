import type { Arguments } from './arguments.ts';
import { actualRecipient, payOut, swap } from './router-payments.ts';
import { type Call, type CallScope, functionTable } from './scope.ts';

const exactIn = 'uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline';
const exactOut = 'uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline';

/** Uniswap V2 Router02. */
export const uniswapV2Router = functionTable({
  [`swapExactTokensForTokens(${exactIn})`]: named('swapExactTokensForTokens', 'amountIn', 'amountOutMin'),
  [`swapExactTokensForTokensSupportingFeeOnTransferTokens(${exactIn})`]: named(
    'swapExactTokensForTokensSupportingFeeOnTransferTokens',
    'amountIn',
    'amountOutMin',
  ),
  [`swapTokensForExactTokens(${exactOut})`]: named('swapTokensForExactTokens', 'amountInMax', 'amountOut'),
  [`swapExactTokensForETH(${exactIn})`]: forCoins('swapExactTokensForETH', 'amountIn', 'amountOutMin'),
  [`swapExactTokensForETHSupportingFeeOnTransferTokens(${exactIn})`]: forCoins(
    'swapExactTokensForETHSupportingFeeOnTransferTokens',
    'amountIn',
    'amountOutMin',
  ),
  [`swapTokensForExactETH(${exactOut})`]: forCoins('swapTokensForExactETH', 'amountInMax', 'amountOut'),
  // The value of the call pays for these.
  'swapExactETHForTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline)': named(
    'swapExactETHForTokens',
    undefined,
    'amountOutMin',
  ),
  'swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline)': named(
    'swapExactETHForTokensSupportingFeeOnTransferTokens',
    undefined,
    'amountOutMin',
  ),
  'swapETHForExactTokens(uint256 amountOut, address[] path, address to, uint256 deadline)': named(
    'swapETHForExactTokens',
    undefined,
    'amountOut',
  ),
});

/** The v2 swaps of SwapRouter02: without a deadline, and with its placeholders for recipients. */
export const uniswapV2InRouter2 = functionTable({
  'swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to)': (args, call, scope) => {
    // SwapRouter02: an amount of 0 means what the router holds.
    const amountIn = args.uint('amountIn') === 0n ? undefined : args.uint('amountIn');
    const recipient = actualRecipient(args.address('to'), call);
    along(args, 'swapExactTokensForTokens', amountIn, args.uint('amountOutMin'), recipient, call, scope);
  },
  'swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to)': (args, call, scope) => {
    const recipient = actualRecipient(args.address('to'), call);
    along(args, 'swapTokensForExactTokens', args.uint('amountInMax'), args.uint('amountOut'), recipient, call, scope);
  },
});

type Read = (args: Arguments, call: Call, scope: CallScope) => void;

function named(name: string, amountIn: string | undefined, amountOut: string): Read {
  return (args, call, scope) => {
    const paid = amountIn === undefined ? undefined : args.uint(amountIn);
    along(args, name, paid, args.uint(amountOut), args.address('to'), call, scope);
  };
}

function forCoins(name: string, amountIn: string, amountOut: string): Read {
  return (args, call, scope) => {
    const [tokenIn] = args.addresses('path');
    if (tokenIn === undefined) {
      noPath(name, call, scope);
      return;
    }
    const asset = scope.token(tokenIn);
    scope.found.add({ kind: 'TRANSFER', asset, amount: args.uint(amountIn), from: call.from, to: call.to });
    payOut(name, scope.coin, args.uint(amountOut), args.address('to'), call, scope);
  };
}

function along(
  args: Arguments,
  name: string,
  amountIn: bigint | undefined,
  amountOut: bigint,
  recipient: string,
  call: Call,
  scope: CallScope,
): void {
  const path = args.addresses('path');
  const [tokenIn] = path;
  const tokenOut = path.at(-1);
  if (tokenIn === undefined || tokenOut === undefined) {
    noPath(name, call, scope);
    return;
  }
  swap({ name, tokenIn, tokenOut, amountIn, amountOut, recipient }, call, scope);
}

function noPath(name: string, call: Call, scope: CallScope): void {
  scope.unknown(name, call.to, call.data.length, `The path of ${name} names no tokens.`);
}

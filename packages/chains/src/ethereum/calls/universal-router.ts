import { formatQuantity } from '../../effects/quantity.ts';
import { ChainError } from '../../errors.ts';
import { toHex } from '../../shared/bytes.ts';
import { decodeAbi } from '../abi-codec.ts';
import type { AbiParameter } from '../abi-type.ts';
import { parseParameters } from './abi-signature.ts';
import { Arguments } from './arguments.ts';
import { allowBatch, allowSingle } from './permit2.ts';
import { actualRecipient, endsOfPath, payOut, swap, tokenOrCoin } from './router-payments.ts';
import { type Call, type CallScope, functionTable, maxItems } from './scope.ts';

interface Command {
  readonly inputs: readonly AbiParameter[];
  read(args: Arguments, call: Call, scope: CallScope): void;
}

// The router pays with all it holds.
const contractBalance = 1n << 255n;
const details = '(address token, uint160 amount, uint48 expiration, uint48 nonce)';

/** The commands that have the same meaning in every version (Uniswap/universal-router, libraries/Commands.sol). */
const commands: ReadonlyMap<number, Command> = new Map([
  command(
    0x00,
    'address recipient, uint256 amountIn, uint256 amountOutMin, bytes path, bool payerIsUser',
    swapV3('V3_SWAP_EXACT_IN', 'amountIn', 'amountOutMin', false),
  ),
  command(
    0x01,
    'address recipient, uint256 amountOut, uint256 amountInMax, bytes path, bool payerIsUser',
    swapV3('V3_SWAP_EXACT_OUT', 'amountInMax', 'amountOut', true),
  ),
  command(0x02, 'address token, address recipient, uint160 amount', (args, call, scope) => {
    const asset = scope.token(args.address('token'));
    const to = actualRecipient(args.address('recipient'), call);
    scope.found.add({ kind: 'TRANSFER', asset, amount: args.uint('amount'), from: call.from, to });
  }),
  command(0x03, `(${details}[] details, address spender, uint256 sigDeadline) permit, bytes signature`, (args, call, scope) =>
    allowBatch(call.from, args.tuple('permit'), call, scope),
  ),
  command(0x04, 'address token, address recipient, uint256 amountMin', (args, call, scope) => {
    const asset = tokenOrCoin(args.address('token'), scope);
    payOut('SWEEP', asset, args.uint('amountMin'), actualRecipient(args.address('recipient'), call), call, scope);
  }),
  command(0x05, 'address token, address recipient, uint256 value', (args, call, scope) => {
    const asset = tokenOrCoin(args.address('token'), scope);
    const amount = args.uint('value');
    forward(asset, amount === contractBalance ? undefined : amount, args, call, scope);
  }),
  command(0x06, 'address token, address recipient, uint256 bips', (args, call, scope) => {
    const what = `PAY_PORTION of ${args.uint('bips')} of 10,000 parts`;
    scope.found.add({ kind: 'CALL', what, to: call.to });
    forward(tokenOrCoin(args.address('token'), scope), undefined, args, call, scope);
  }),
  command(
    0x08,
    'address recipient, uint256 amountIn, uint256 amountOutMin, address[] path, bool payerIsUser',
    swapV2('V2_SWAP_EXACT_IN', 'amountIn', 'amountOutMin'),
  ),
  command(
    0x09,
    'address recipient, uint256 amountOut, uint256 amountInMax, address[] path, bool payerIsUser',
    swapV2('V2_SWAP_EXACT_OUT', 'amountInMax', 'amountOut'),
  ),
  command(0x0a, `(${details} details, address spender, uint256 sigDeadline) permit, bytes signature`, (args, call, scope) =>
    allowSingle(call.from, args.tuple('permit'), scope),
  ),
  command(0x0b, 'address recipient, uint256 amountMin', (args, call, scope) => wrap('WRAP_ETH', args, call, scope)),
  command(0x0c, 'address recipient, uint256 amountMin', (args, call, scope) => {
    payOut('UNWRAP_WETH', scope.coin, args.uint('amountMin'), actualRecipient(args.address('recipient'), call), call, scope);
  }),
  command(0x0d, '(address from, address to, uint160 amount, address token)[] batch', (args, call, scope) => {
    const batch = args.tuples('batch');
    if (batch.length > maxItems) {
      scope.unknown('PERMIT2_TRANSFER_FROM_BATCH', call.to, call.data.length, `A list of ${batch.length} items was not read.`);
    }
    for (const each of batch) {
      const asset = scope.token(each.address('token'));
      // Permit2 itself reads the receivers, and knows no names for the caller and the router.
      const [from, to] = [each.address('from'), each.address('to')];
      scope.found.add({ kind: 'TRANSFER', asset, amount: each.uint('amount'), from, to });
    }
  }),
  // It only checks a balance.
  command(0x0e, 'address owner, address token, uint256 minBalance', () => undefined),
  // SECURITY: plans within plans count as calls within calls. Each level costs reading all that is inside once more.
  command(0x21, 'bytes commands, bytes[] inputs', (args, call, scope) =>
    scope.nest(call.to, args.bytes('commands').length, () => execute(args, call, scope)),
  ),
]);

/** Uniswap's Universal Router. */
export const universalRouter = functionTable({
  'execute(bytes commands, bytes[] inputs, uint256 deadline)': execute,
  'execute(bytes commands, bytes[] inputs)': execute,
});

function execute(args: Arguments, call: Call, scope: CallScope): void {
  const codes = args.bytes('commands');
  const inputs = args.bytesList('inputs');
  if (codes.length !== inputs.length) {
    scope.unknown('execute', call.to, call.data.length, 'The router gets more commands than inputs, or fewer.');
    return;
  }
  for (const [index, code] of codes.entries()) {
    const input = inputs[index] ?? new Uint8Array();
    if (!scope.step(call.to, input.length)) return;
    // The highest bit: the other commands continue if this one fails.
    runCommand(code & 0x7f, input, call, scope);
  }
}

function runCommand(code: number, input: Uint8Array, call: Call, scope: CallScope): void {
  const known = commands.get(code);
  const name = `command 0x${code.toString(16).padStart(2, '0')}`;
  if (known === undefined) {
    scope.unknown(name, call.to, input.length, `The router's ${name} was not decoded.`);
    return;
  }
  let args: Arguments;
  try {
    const types = known.inputs.map(({ type }) => type);
    args = new Arguments(known.inputs, decodeAbi(types, input));
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    scope.unknown(name, call.to, input.length, `The input of the router's ${name} was not decoded: ${error.message}.`);
    return;
  }
  known.read(args, call, scope);
}

function command(code: number, inputs: string, read: Command['read']): readonly [number, Command] {
  return [code, { inputs: parseParameters(inputs), read }];
}

function swapV3(name: string, amountIn: string, amountOut: string, reversed: boolean): Command['read'] {
  return (args, call, scope) => {
    const ends = endsOfPath(args.bytes('path'));
    if (ends === undefined) {
      scope.unknown(name, call.to, call.data.length, `The path of ${name} is not made of tokens and fees.`);
      return;
    }
    const [tokenIn, tokenOut] = reversed ? [ends.last, ends.first] : [ends.first, ends.last];
    swapTokens(name, toHex(tokenIn), toHex(tokenOut), args.uint(amountIn), args.uint(amountOut), args, call, scope);
  };
}

function swapV2(name: string, amountIn: string, amountOut: string): Command['read'] {
  return (args, call, scope) => {
    const path = args.addresses('path');
    const [tokenIn] = path;
    const tokenOut = path.at(-1);
    if (tokenIn === undefined || tokenOut === undefined) {
      scope.unknown(name, call.to, call.data.length, `The path of ${name} names no tokens.`);
      return;
    }
    swapTokens(name, tokenIn, tokenOut, args.uint(amountIn), args.uint(amountOut), args, call, scope);
  };
}

function swapTokens(
  name: string,
  tokenIn: string,
  tokenOut: string,
  amountIn: bigint,
  amountOut: bigint,
  args: Arguments,
  call: Call,
  scope: CallScope,
): void {
  const recipient = actualRecipient(args.address('recipient'), call);
  // Otherwise the router pays from what it holds. It takes tokens of the caller through Permit2 and never its coins as such.
  const paid = args.bool('payerIsUser') ? amountIn : undefined;
  const { purse: _, ...withoutPurse } = call;
  swap({ name, tokenIn, tokenOut, amountIn: paid, amountOut, recipient }, withoutPurse, scope);
}

function wrap(name: string, args: Arguments, call: Call, scope: CallScope): void {
  const recipient = actualRecipient(args.address('recipient'), call);
  const amount = args.uint('amountMin');
  const what = `${name} of ${amount === contractBalance ? 'all coins' : formatQuantity({ asset: scope.coin, amount })}`;
  scope.found.add({ kind: 'CALL', what, to: call.to });
  if (recipient !== call.from && recipient !== call.to) {
    scope.found.add({
      kind: 'TRANSFER',
      asset: scope.coin,
      from: call.from,
      to: recipient,
      ...(amount !== contractBalance && { amount }),
    });
  }
}

/** The router hands on what it holds for the caller. */
function forward(
  asset: ReturnType<typeof tokenOrCoin>,
  amount: bigint | undefined,
  args: Arguments,
  call: Call,
  scope: CallScope,
): void {
  const to = actualRecipient(args.address('recipient'), call);
  if (to === call.from || to === call.to) {
    scope.found.add({
      kind: 'CALL',
      what: `TRANSFER of ${formatQuantity({ asset, ...(amount !== undefined && { amount }) })}`,
      to: call.to,
    });
    return;
  }
  scope.found.add({ kind: 'TRANSFER', asset, from: call.from, to, ...(amount !== undefined && { amount }) });
}

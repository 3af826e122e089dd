import type { Arguments } from './arguments.ts';
import { type Call, type CallScope, functionTable } from './scope.ts';

const pairs = '(address target, bytes callData)[] calls';

/** Multicall, Multicall2 and Multicall3. The contract itself is the caller of the inner calls. */
export const multicall = functionTable({
  [`aggregate(${pairs})`]: openAll,
  [`blockAndAggregate(${pairs})`]: openAll,
  [`tryAggregate(bool requireSuccess, ${pairs})`]: openAll,
  [`tryBlockAndAggregate(bool requireSuccess, ${pairs})`]: openAll,
  'aggregate3((address target, bool allowFailure, bytes callData)[] calls)': openAll,
  'aggregate3Value((address target, bool allowFailure, uint256 value, bytes callData)[] calls)': (args, call, scope) => {
    for (const inner of args.tuples('calls')) open(inner, inner.uint('value'), call, scope);
  },
});

function openAll(args: Arguments, call: Call, scope: CallScope): void {
  for (const inner of args.tuples('calls')) open(inner, 0n, call, scope);
}

function open(inner: Arguments, value: bigint, call: Call, scope: CallScope): void {
  scope.open({ from: call.to, to: inner.address('target'), value, data: inner.bytes('callData') });
}

import { isUnlimited } from '../../effects/unlimited.ts';
import type { Arguments } from './arguments.ts';
import { type Call, type CallScope, functionTable, maxItems } from './scope.ts';

/** Permit2 moves every token that its owner approved for it. */
export const permit2 = functionTable({
  'approve(address token, address spender, uint160 amount, uint48 expiration)': (args, call, scope) =>
    allow(call.from, args.address('spender'), args, scope),
  'permit(address owner, ((address token, uint160 amount, uint48 expiration, uint48 nonce) details, address spender, uint256 sigDeadline) permitSingle, bytes signature)':
    (args, _, scope) => allowSingle(args.address('owner'), args.tuple('permitSingle'), scope),
  'permit(address owner, ((address token, uint160 amount, uint48 expiration, uint48 nonce)[] details, address spender, uint256 sigDeadline) permitBatch, bytes signature)':
    (args, call, scope) => allowBatch(args.address('owner'), args.tuple('permitBatch'), call, scope),
  'transferFrom(address from, address to, uint160 amount, address token)': (args, _, scope) => send(args, scope),
  'transferFrom((address from, address to, uint160 amount, address token)[] transferDetails)': (args, call, scope) => {
    for (const details of few(args.tuples('transferDetails'), call, scope)) send(details, scope);
  },
  'lockdown((address token, address spender)[] approvals)': (args, call, scope) => {
    for (const approval of few(args.tuples('approvals'), call, scope)) {
      const asset = scope.token(approval.address('token'));
      scope.found.add({
        kind: 'ALLOWANCE',
        asset,
        amount: 0n,
        from: call.from,
        to: approval.address('spender'),
        unlimited: false,
      });
    }
  },
  'permitTransferFrom(((address token, uint256 amount) permitted, uint256 nonce, uint256 deadline) permit, (address to, uint256 requestedAmount) transferDetails, address owner, bytes signature)':
    sendPermitted,
  'permitWitnessTransferFrom(((address token, uint256 amount) permitted, uint256 nonce, uint256 deadline) permit, (address to, uint256 requestedAmount) transferDetails, address owner, bytes32 witness, string witnessTypeString, bytes signature)':
    sendPermitted,
  'permitTransferFrom(((address token, uint256 amount)[] permitted, uint256 nonce, uint256 deadline) permit, (address to, uint256 requestedAmount)[] transferDetails, address owner, bytes signature)':
    (args, call, scope) => {
      const permitted = args.tuple('permit').tuples('permitted');
      const details = few(args.tuples('transferDetails'), call, scope);
      // Permit2 refuses lists of different lengths, so nothing would move.
      for (const [index, detail] of details.entries()) {
        const token = permitted[index]?.address('token');
        if (token !== undefined) sendRequested(token, args.address('owner'), detail, scope);
      }
    },
});

/** What a permit for one token allows. The universal router takes the same tuple. */
export function allowSingle(owner: string, permit: Arguments, scope: CallScope): void {
  allow(owner, permit.address('spender'), permit.tuple('details'), scope);
}

/** What a permit for several tokens allows. */
export function allowBatch(owner: string, permit: Arguments, call: Call, scope: CallScope): void {
  for (const details of few(permit.tuples('details'), call, scope)) allow(owner, permit.address('spender'), details, scope);
}

function allow(from: string, to: string, details: Arguments, scope: CallScope): void {
  const amount = details.uint('amount');
  const expires = details.uint('expiration');
  const asset = scope.token(details.address('token'));
  const unlimited = isUnlimited(amount, 160);
  // Permit2: an expiration of 0 means the end of this block.
  scope.found.add({ kind: 'ALLOWANCE', asset, amount, from, to, unlimited, ...(expires > 0n && { expires }) });
}

function send(details: Arguments, scope: CallScope): void {
  const asset = scope.token(details.address('token'));
  const [from, to] = [details.address('from'), details.address('to')];
  scope.found.add({ kind: 'TRANSFER', asset, amount: details.uint('amount'), from, to });
}

function sendPermitted(args: Arguments, _: Call, scope: CallScope): void {
  const token = args.tuple('permit').tuple('permitted').address('token');
  sendRequested(token, args.address('owner'), args.tuple('transferDetails'), scope);
}

function sendRequested(token: string, from: string, details: Arguments, scope: CallScope): void {
  const amount = details.uint('requestedAmount');
  scope.found.add({ kind: 'TRANSFER', asset: scope.token(token), amount, from, to: details.address('to') });
}

/** The items, or none and an UNKNOWN effect where they are too many. */
function few(items: readonly Arguments[], call: Call, scope: CallScope): readonly Arguments[] {
  if (items.length <= maxItems) return items;
  scope.unknown('a list of permissions', call.to, call.data.length, `A list of ${items.length} items was not read.`);
  return [];
}

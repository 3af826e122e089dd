import { toChecksumAddress } from '../../addresses/ethereum.ts';
import { formatQuantity } from '../../effects/quantity.ts';
import { isUnlimited } from '../../effects/unlimited.ts';
import type { Arguments } from './arguments.ts';
import { type Call, type CallScope, functionTable } from './scope.ts';

/** ERC-20, EIP-2612, the permit of DAI, and EIP-3009. */
export const erc20 = functionTable({
  'transfer(address to, uint256 value)': (args, call, scope) => send(call.from, args.address('to'), args, call, scope),
  'transferFrom(address from, address to, uint256 value)': (args, call, scope) =>
    send(args.address('from'), args.address('to'), args, call, scope),
  'approve(address spender, uint256 value)': (args, call, scope) =>
    allow(call.from, args.address('spender'), args.uint('value'), call, scope),
  'increaseAllowance(address spender, uint256 addedValue)': (args, call, scope) => {
    allow(call.from, args.address('spender'), args.uint('addedValue'), call, scope);
    scope.found.add({ kind: 'CALL', what: 'increaseAllowance, which adds to what the spender may already take,', to: call.to });
  },
  'decreaseAllowance(address spender, uint256 subtractedValue)': (args, call, scope) => {
    const less = formatQuantity({ asset: scope.token(call.to), amount: args.uint('subtractedValue') });
    const spender = toChecksumAddress(args.address('spender'));
    scope.found.add({ kind: 'CALL', what: `decreaseAllowance, which lets ${spender} spend ${less} less,`, to: call.to });
  },
  'permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)': (args, call, scope) =>
    allow(args.address('owner'), args.address('spender'), args.uint('value'), call, scope),
  // DAI: either everything or nothing.
  'permit(address holder, address spender, uint256 nonce, uint256 expiry, bool allowed, uint8 v, bytes32 r, bytes32 s)': (
    args,
    call,
    scope,
  ) => allow(args.address('holder'), args.address('spender'), args.bool('allowed') ? (1n << 256n) - 1n : 0n, call, scope),
  'transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)':
    (args, call, scope) => send(args.address('from'), args.address('to'), args, call, scope),
  'receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)':
    (args, call, scope) => send(args.address('from'), args.address('to'), args, call, scope),
});

function send(from: string, to: string, args: Arguments, call: Call, scope: CallScope): void {
  scope.found.add({ kind: 'TRANSFER', asset: scope.token(call.to), amount: args.uint('value'), from, to });
}

function allow(from: string, to: string, amount: bigint, call: Call, scope: CallScope): void {
  const unlimited = isUnlimited(amount, 256);
  scope.found.add({ kind: 'ALLOWANCE', asset: scope.token(call.to), amount, from, to, unlimited });
}

import { toChecksumAddress } from '../../addresses/ethereum.ts';
import { isUnlimited } from '../../effects/unlimited.ts';
import type { CallScope } from '../calls/scope.ts';
import type { MessageReader, TypedMessage } from './message.ts';

/** Messages that a token itself takes: its address is the verifying contract. */
export const tokenMessages: { readonly [type: string]: MessageReader } = {
  // EIP-2612. The deadline is for the signature: once brought, the allowance stays.
  'Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)': ({ contract, fields }, scope) => {
    const amount = fields.uint('value');
    const [from, to] = [fields.address('owner'), fields.address('spender')];
    const asset = scope.token(contract);
    scope.found.add({ kind: 'ALLOWANCE', asset, amount, from, to, unlimited: isUnlimited(amount, 256), permit: true });
    return true;
  },
  // DAI: either everything or nothing.
  'Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)': ({ contract, fields }, scope) => {
    const [from, to] = [fields.address('holder'), fields.address('spender')];
    const asset = scope.token(contract);
    const all = fields.bool('allowed');
    scope.found.add({ kind: 'ALLOWANCE', asset, ...(!all && { amount: 0n }), from, to, unlimited: all, permit: true });
    return true;
  },
  // EIP-3009.
  'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)': send,
  'ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)': send,
  'CancelAuthorization(address authorizer,bytes32 nonce)': ({ contract, fields }, scope) => {
    const whose = toChecksumAddress(fields.address('authorizer'));
    scope.token(contract);
    scope.found.add({ kind: 'CALL', what: `CancelAuthorization of a transfer of ${whose}`, to: contract });
    return true;
  },
};

function send({ contract, fields }: TypedMessage, scope: CallScope): boolean {
  const [from, to] = [fields.address('from'), fields.address('to')];
  scope.found.add({ kind: 'TRANSFER', asset: scope.token(contract), amount: fields.uint('value'), from, to });
  return true;
}

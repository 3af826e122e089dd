import { isUnlimited } from '../../effects/unlimited.ts';
import { type CallScope, maxItems } from '../calls/scope.ts';
import type { MessageFields, MessageReader, TypedMessage } from './message.ts';

const permissions = 'TokenPermissions(address token,uint256 amount)';

/** Messages that Permit2 takes. */
export const permit2Messages: { readonly [type: string]: MessageReader } = {
  'PermitSingle(PermitDetails details,address spender,uint256 sigDeadline)PermitDetails(address token,uint160 amount,uint48 expiration,uint48 nonce)':
    (message, scope) => allow([message.fields.struct('details')], message, scope),
  'PermitBatch(PermitDetails[] details,address spender,uint256 sigDeadline)PermitDetails(address token,uint160 amount,uint48 expiration,uint48 nonce)':
    (message, scope) => allow(message.fields.structs('details'), message, scope),
  [`PermitTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline)${permissions}`]: allowOnce,
  [`PermitBatchTransferFrom(TokenPermissions[] permitted,address spender,uint256 nonce,uint256 deadline)${permissions}`]:
    allowOnce,
};

const witnessType =
  /^Permit(?:Batch)?WitnessTransferFrom\(TokenPermissions(?:\[\])? permitted,address spender,uint256 nonce,uint256 deadline,[\w:]+ witness\)/;

/** The reader of a transfer with a witness: a struct of any type that the spender must obey. Its meaning is the spender's own. */
export function witnessReader(type: string): MessageReader | undefined {
  const known = witnessType.test(type) && new RegExp(`\\)${permissions.replace(/[()]/g, '\\$&')}`).test(type);
  if (!known) return undefined;
  return (message, scope) => {
    allowOnce(message, scope);
    return false;
  };
}

function allow(list: readonly MessageFields[], { fields, signer, contract }: TypedMessage, scope: CallScope): boolean {
  if (list.length > maxItems) return tooMany(list.length, contract, scope);
  for (const details of list) {
    const amount = details.uint('amount');
    const expires = details.uint('expiration');
    scope.found.add({
      kind: 'ALLOWANCE',
      asset: scope.token(details.address('token')),
      amount,
      from: signer,
      to: fields.address('spender'),
      unlimited: isUnlimited(amount, 160),
      permit: true,
      // Permit2: an expiration of 0 means the end of the block that takes the permit.
      ...(expires > 0n && { expires }),
    });
  }
  return true;
}

/** A permit for one transfer: nothing is left of it after its deadline. */
function allowOnce({ fields, signer, contract, primaryType }: TypedMessage, scope: CallScope): boolean {
  const list = primaryType.startsWith('PermitBatch') ? fields.structs('permitted') : [fields.struct('permitted')];
  if (list.length > maxItems) return tooMany(list.length, contract, scope);
  for (const permitted of list) {
    const amount = permitted.uint('amount');
    scope.found.add({
      kind: 'ALLOWANCE',
      asset: scope.token(permitted.address('token')),
      amount,
      from: signer,
      to: fields.address('spender'),
      unlimited: isUnlimited(amount, 256),
      permit: true,
      expires: fields.uint('deadline'),
    });
  }
  return true;
}

function tooMany(count: number, contract: string, scope: CallScope): boolean {
  scope.unknown('a list of permissions', contract, count * 64, `A list of ${count} permissions was not read.`);
  return true;
}

import { openSafeTransaction } from '../calls/safe.ts';
import type { MessageReader } from './message.ts';

/** A SafeTx that an owner signs. With enough signatures, any account can execute it. */
export const safeMessages: { readonly [type: string]: MessageReader } = {
  'SafeTx(address to,uint256 value,bytes data,uint8 operation,uint256 safeTxGas,uint256 baseGas,uint256 gasPrice,address gasToken,address refundReceiver,uint256 nonce)':
    ({ contract, domain, fields, signer }, scope) => {
      // The domain of a Safe consists of its address and, since 1.3.0, the chain.
      if (!domain.has('verifyingContract') || domain.size !== (domain.has('chainId') ? 2 : 1)) return false;
      scope.vouch({ from: signer, to: contract, value: 0n, data: new Uint8Array() }, 'a Safe');
      openSafeTransaction(
        {
          safe: contract,
          to: fields.address('to'),
          value: fields.uint('value'),
          data: fields.bytes('data'),
          operation: fields.uint('operation'),
          gasPrice: fields.uint('gasPrice'),
          gasToken: fields.address('gasToken'),
          refundReceiver: fields.address('refundReceiver'),
        },
        scope,
      );
      return true;
    },
};

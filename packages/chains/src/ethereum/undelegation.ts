import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { concat } from '../shared/bytes.ts';
import { type Authorization, authorizationDigest, nobody } from './authorization.ts';
import { addressItem, dataItem, type FeeMarketFields, integerItem } from './fee-market-transaction.ts';
import { toBigEndian } from './integer.ts';
import { encodeRlp } from './rlp.ts';
import type { SignedAuthorization } from './transaction-fields.ts';

/** What is left to choose in a transaction with which an account removes its own delegation. */
export interface UndelegationFields
  extends Pick<FeeMarketFields, 'chainId' | 'nonce' | 'maxPriorityFeePerGas' | 'maxFeePerGas' | 'gas'> {
  /** Its address in hexadecimal. */
  readonly account: string;
}

type AuthorizationSignature = Pick<SignedAuthorization, 'yParity' | 'r' | 's'>;

const missing: AuthorizationSignature = { yParity: 0n, r: 0n, s: 0n };

/** Whether the signature of an authorization is still to be made. No signature is 0. */
export function isUnsigned({ yParity, r, s }: AuthorizationSignature): boolean {
  return yParity === 0n && r === 0n && s === 0n;
}

/**
 * The authorization of an undelegation.
 * INVARIANT: EIP-7702: the chain raises the nonce of the sender before it reads the authorizations, and this one is only valid for the next nonce.
 */
export function undelegationAuthorization({ chainId, nonce }: Pick<UndelegationFields, 'chainId' | 'nonce'>): Authorization {
  return { chainId, address: nobody, nonce: nonce + 1n };
}

/** What the account signs first. */
export function undelegationDigest(fields: Pick<UndelegationFields, 'chainId' | 'nonce'>): Uint8Array {
  return authorizationDigest(undelegationAuthorization(fields));
}

/**
 * The unsigned transaction (EIP-7702) in hex: the account calls itself without data and without an amount, and the only authorization sets its
 * code to none. Without a signature of the authorization it is complete for readers, and cannot be signed.
 * Throws ChainError INVALID_TRANSACTION for a value that does not fit its field.
 */
export function encodeUndelegation(fields: UndelegationFields, signature: AuthorizationSignature = missing): string {
  const { account, chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gas } = fields;
  const authorization = undelegationAuthorization(fields);
  const items = [
    integerItem(chainId, 'chain id', 64),
    integerItem(nonce, 'nonce', 64),
    integerItem(maxPriorityFeePerGas, 'max priority fee per gas', 256),
    integerItem(maxFeePerGas, 'max fee per gas', 256),
    integerItem(gas, 'gas limit', 64),
    addressItem(account),
    integerItem(0n, 'value', 256),
    dataItem('0x'),
    [],
    [
      [
        integerItem(authorization.chainId, 'authorization chain id', 64),
        hexToBytes(authorization.address.slice(2)),
        integerItem(authorization.nonce, 'authorization nonce', 64),
        ...[signature.yParity, signature.r, signature.s].map(toBigEndian),
      ],
    ],
  ];
  return bytesToHex(concat([Uint8Array.of(0x04), encodeRlp(items)]));
}

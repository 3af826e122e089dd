import { bytesToHex } from '@noble/hashes/utils.js';
import { addressItem, dataItem, type FeeMarketFields, integerItem } from './fee-market-transaction.ts';
import { encodeRlp } from './rlp.ts';

/** The fields of a legacy transaction with replay protection (EIP-155). */
export interface LegacyFields extends Omit<FeeMarketFields, 'maxPriorityFeePerGas' | 'maxFeePerGas'> {
  readonly gasPrice: bigint;
}

/** The unsigned legacy transaction in hex. Throws ChainError INVALID_TRANSACTION for a value that does not fit its field. */
export function encodeLegacyTransaction({ chainId, nonce, gasPrice, gas, to, value, data }: LegacyFields): string {
  const items = [
    integerItem(nonce, 'nonce', 64),
    integerItem(gasPrice, 'gas price', 256),
    integerItem(gas, 'gas limit', 64),
    addressItem(to),
    integerItem(value, 'value', 256),
    dataItem(data),
    integerItem(chainId, 'chain id', 64),
    new Uint8Array(),
    new Uint8Array(),
  ];
  return bytesToHex(encodeRlp(items));
}

import { bytesToHex } from '@noble/hashes/utils.js';
import { concat, fromHexDigits, withoutPrefix } from '../shared/bytes.ts';
import { invalidTransaction } from '../shared/refusal.ts';
import { maxUint, toBigEndian } from './integer.ts';
import { encodeRlp } from './rlp.ts';

/** The fields of an EIP-1559 transaction without an access list. `to` and `data` are hex with `0x`. */
export interface FeeMarketFields {
  readonly chainId: bigint;
  readonly nonce: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly maxFeePerGas: bigint;
  readonly gas: bigint;
  readonly to: string;
  readonly value: bigint;
  readonly data: string;
}

/**
 * The unsigned EIP-1559 transaction in hex, as `TRANSACTION_TYPE_ETHEREUM` reads it. Throws ChainError INVALID_TRANSACTION for a value that
 * does not fit its field.
 */
export function encodeFeeMarketTransaction(fields: FeeMarketFields): string {
  const { chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gas, to, value, data } = fields;
  const items = [
    integerItem(chainId, 'chain id', 64),
    integerItem(nonce, 'nonce', 64),
    integerItem(maxPriorityFeePerGas, 'max priority fee per gas', 256),
    integerItem(maxFeePerGas, 'max fee per gas', 256),
    integerItem(gas, 'gas limit', 64),
    addressItem(to),
    integerItem(value, 'value', 256),
    dataItem(data),
    [],
  ];
  return bytesToHex(concat([Uint8Array.of(0x02), encodeRlp(items)]));
}

/** An integer as an RLP item. */
export function integerItem(value: bigint, name: string, bits: number): Uint8Array {
  if (value < 0n || value > maxUint(bits)) throw invalidTransaction(`the ${name} does not fit into ${bits} bits`);
  return toBigEndian(value);
}

/** The receiver as an RLP item. */
export const addressItem = (to: string) => bytes(to, '"to" address', 20);

/** Call data as an RLP item. */
export const dataItem = (data: string) => bytes(data, 'data');

function bytes(hex: string, name: string, length?: number): Uint8Array {
  const found = fromHexDigits(withoutPrefix(hex));
  if (found === undefined) throw invalidTransaction(`the ${name} is not hexadecimal`);
  if (length !== undefined && found.length !== length) throw invalidTransaction(`the ${name} does not have ${length} bytes`);
  return found;
}

import type { ExactJsonValue } from '@countersign/strict-json';
import { normalizeEthereumAddress } from '../addresses/ethereum.ts';
import { fromHexDigits } from '../shared/bytes.ts';
import { invalidTypedData } from '../shared/refusal.ts';

/**
 * An exact integer from JSON: a number, a decimal string without leading zeros, or a hex string with `0x`.
 * Undefined for anything else: fractions, exponents, any sign but one minus, and text longer than 256 bits need.
 */
export function parseJsonInteger(value: ExactJsonValue | undefined): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (typeof value !== 'string') return undefined;
  return /^(?:0|-?[1-9][0-9]{0,77}|0x[0-9a-fA-F]{1,64})$/.test(value) ? BigInt(value) : undefined;
}

/** Bytes from a JSON string of hex with `0x`. Undefined for anything else. */
export function parseJsonBytes(value: ExactJsonValue | undefined): Uint8Array | undefined {
  return typeof value === 'string' && value.startsWith('0x') ? fromHexDigits(value.slice(2)) : undefined;
}

/** The lower-case address from a JSON string with `0x`. Throws ChainError INVALID_TYPED_DATA, also for a bad EIP-55 checksum. */
export function parseJsonAddress(value: ExactJsonValue | undefined, path: string): string {
  if (typeof value !== 'string' || !value.startsWith('0x')) throw invalidTypedData(`${path} is not a 0x address`);
  try {
    return normalizeEthereumAddress(value);
  } catch (error) {
    // Report it as an error of the typed data.
    throw invalidTypedData(`${path}: ${error instanceof Error ? error.message : 'not an address'}`);
  }
}

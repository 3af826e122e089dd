import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';

/** The largest unsigned integer of `bits` bits. */
export function maxUint(bits: number): bigint {
  return (1n << BigInt(bits)) - 1n;
}

/** A big-endian unsigned integer. No bytes mean zero. */
export function fromBigEndian(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${bytesToHex(bytes)}`);
}

/** The shortest big-endian form. Zero is no bytes, as in RLP. */
export function toBigEndian(value: bigint): Uint8Array {
  if (value === 0n) return new Uint8Array();
  const digits = value.toString(16);
  return hexToBytes(digits.length % 2 === 0 ? digits : `0${digits}`);
}

/** A 32-byte word. Negative values are in two's complement. */
export function toWord(value: bigint): Uint8Array {
  return hexToBytes(BigInt.asUintN(256, value).toString(16).padStart(64, '0'));
}

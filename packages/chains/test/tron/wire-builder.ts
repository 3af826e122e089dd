import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { base58check } from '@scure/base';
import { vectors } from './support.ts';

/** One protobuf field as it goes over the wire, whether it makes sense or not. */
export type RawField = readonly [number: number, value: bigint | Uint8Array | readonly RawField[], varintPadding?: number];

export function varint(value: bigint, padding = 0): number[] {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  for (let left = padding; left > 0; left--) bytes.push((bytes.pop() as number) | 0x80, 0);
  return bytes;
}

export function wire(fields: readonly RawField[]): Uint8Array {
  return Uint8Array.from(
    fields.flatMap(([number, value, padding = 0]) => {
      if (typeof value === 'bigint') return [...varint(BigInt(number << 3)), ...varint(value, padding)];
      const bytes = value instanceof Uint8Array ? value : wire(value);
      return [...varint(BigInt((number << 3) | 2)), ...varint(BigInt(bytes.length), padding), ...bytes];
    }),
  );
}

/** The 21 bytes of an address. */
export const addressBytes = (text: string) => base58check(sha256).decode(text);

export const owner = addressBytes(vectors.signer.address);
export const recipient = hexToBytes(`41${'22'.repeat(20)}`);

export const transfer: readonly RawField[] = [
  [1, owner],
  [2, recipient],
  [3, 5n],
];

export const parameter = (name: string, value: readonly RawField[]): readonly RawField[] => [
  [1, utf8ToBytes(`type.googleapis.com/protocol.${name}`)],
  [2, wire(value)],
];

export const contract = (
  type: bigint,
  name: string,
  value: readonly RawField[],
  ...more: readonly RawField[]
): readonly RawField[] => [...(type === 0n ? [] : [[1, type] as const]), [2, parameter(name, value)], ...more];

export const transferContract = contract(1n, 'TransferContract', transfer);

/** The fields of raw_data with one contract, or with those given. */
export function rawData(contracts: readonly (readonly RawField[])[] = [transferContract]): readonly RawField[] {
  return [
    [1, Uint8Array.of(1, 2)],
    [4, new Uint8Array(8).fill(3)],
    [8, 1_700_000_000_000n],
    ...contracts.map((entry) => [11, entry] as const),
    [14, 1_699_999_999_000n],
  ];
}

export const toHex = (fields: readonly RawField[]) => bytesToHex(wire(fields));

import { concat } from '../shared/bytes.ts';
import { hex, int32, int64, message, text } from './field-readers.ts';
import type { MessageSpec } from './protobuf.ts';

/** google.protobuf.Any: the name of a message type, and a message of that type. */
const any: MessageSpec = {
  name: 'the contract parameter',
  fields: [
    { number: 1, name: 'type_url', reader: text },
    { number: 2, name: 'value', reader: hex },
  ],
};

/** Transaction.Contract without `provider` and `ContractName`. No node reads those two, so they could only hide something. */
const contract: MessageSpec = {
  name: 'the contract',
  fields: [
    { number: 1, name: 'type', reader: int32 },
    { number: 2, name: 'parameter', reader: message(any) },
    { number: 5, name: 'Permission_id', reader: int32 },
  ],
};

/**
 * Transaction.raw of https://github.com/tronprotocol/protocol (core/Tron.proto), without the unused `ref_block_num`, `auths`
 * and `scripts`.
 */
export const rawDataSpec: MessageSpec = {
  name: 'raw_data',
  fields: [
    { number: 1, name: 'ref_block_bytes', reader: hex },
    { number: 4, name: 'ref_block_hash', reader: hex },
    { number: 8, name: 'expiration', reader: int64 },
    { number: 10, name: 'data', reader: hex },
    { number: 11, name: 'contract', reader: message(contract), repeated: true },
    { number: 14, name: 'timestamp', reader: int64 },
    { number: 18, name: 'fee_limit', reader: int64 },
  ],
};

/** The Transaction that carries exactly these raw bytes (field 1) and one signature (field 2). */
export function encodeSigned(rawData: Uint8Array, signature: Uint8Array): Uint8Array {
  return concat([delimited(1, rawData.length), rawData, delimited(2, signature.length), signature]);
}

/** The raw bytes of a signed Transaction. Undefined if it does not begin with them. */
export function rawDataOf(signed: Uint8Array): Uint8Array | undefined {
  if (signed[0] !== ((1 << 3) | 2)) return undefined;
  let length = 0;
  for (let at = 1, shift = 0; shift <= 28; at++, shift += 7) {
    const byte = signed[at] ?? 0;
    length |= (byte & 0x7f) << shift;
    if (byte < 0x80) return length > 0 && length <= signed.length - at - 1 ? signed.subarray(at + 1, at + 1 + length) : undefined;
  }
  return undefined;
}

/** The tag of a field of bytes, and their length. */
function delimited(number: number, length: number): Uint8Array {
  const bytes = [(number << 3) | 2];
  let rest = length;
  for (; rest >= 0x80; rest >>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Uint8Array.of(...bytes, rest);
}

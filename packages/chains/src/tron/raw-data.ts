import { bytesToHex } from '@noble/hashes/utils.js';
import { hex, int32, int64, message, text } from './field-coders.ts';
import { encodeMessage, type MessageSpec } from './protobuf.ts';

/** google.protobuf.Any: the name of a message type, and a message of that type. */
const any: MessageSpec = {
  name: 'the contract parameter',
  fields: [
    { number: 1, name: 'type_url', coder: text },
    { number: 2, name: 'value', coder: hex },
  ],
};

/** Transaction.Contract without `provider` and `ContractName`. No node reads those two, so they could only hide something. */
const contract: MessageSpec = {
  name: 'the contract',
  fields: [
    { number: 1, name: 'type', coder: int32 },
    { number: 2, name: 'parameter', coder: message(any) },
    { number: 5, name: 'Permission_id', coder: int32 },
  ],
};

/**
 * Transaction.raw of https://github.com/tronprotocol/protocol (core/Tron.proto), without the unused `ref_block_num`, `auths`
 * and `scripts`.
 */
export const rawDataSpec: MessageSpec = {
  name: 'raw_data',
  fields: [
    { number: 1, name: 'ref_block_bytes', coder: hex },
    { number: 4, name: 'ref_block_hash', coder: hex },
    { number: 8, name: 'expiration', coder: int64 },
    { number: 10, name: 'data', coder: hex },
    { number: 11, name: 'contract', coder: message(contract), repeated: true },
    { number: 14, name: 'timestamp', coder: int64 },
    { number: 18, name: 'fee_limit', coder: int64 },
  ],
};

const transaction: MessageSpec = {
  name: 'Transaction',
  fields: [
    { number: 1, name: 'raw_data', coder: hex },
    { number: 2, name: 'signature', coder: hex, repeated: true },
  ],
};

/** The Transaction that carries exactly these raw bytes and one signature. */
export function encodeSigned(rawData: Uint8Array, signature: Uint8Array): Uint8Array {
  return encodeMessage({ raw_data: bytesToHex(rawData), signature: [bytesToHex(signature)] }, transaction);
}

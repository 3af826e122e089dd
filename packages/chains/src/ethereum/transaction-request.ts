import { bytesToHex } from '@noble/hashes/utils.js';
import { concat, fromHexDigits } from '../shared/bytes.ts';
import { invalidTransaction } from '../shared/refusal.ts';
import { toBigEndian } from './integer.ts';
import { encodeRlp, type RlpItem } from './rlp.ts';

/** The object that JSON-RPC methods take as a transaction (`eth_signTransaction`). */
export type TransactionRequest = Readonly<Record<string, unknown>>;

type ReadField = (value: unknown, name: string) => RlpItem;

const QUANTITY = /^0x[0-9a-f]{1,64}$/i;

/** A quantity of JSON-RPC. Throws ChainError INVALID_TRANSACTION for another form. */
export function readQuantity(value: unknown, name: string): bigint {
  if (typeof value === 'string' && QUANTITY.test(value)) return BigInt(value);
  throw invalidTransaction(`"${name}" must be a hexadecimal quantity such as "0x1"`);
}

const quantity: ReadField = (value, name) => toBigEndian(readQuantity(value, name));

const bytes: ReadField = (value, name) => {
  const found = typeof value === 'string' && value.startsWith('0x') ? fromHexDigits(value.slice(2)) : undefined;
  if (found === undefined) throw invalidTransaction(`"${name}" must be bytes in hexadecimal, beginning with 0x`);
  return found;
};

function listOf(value: unknown, name: string, read: ReadField): readonly RlpItem[] {
  if (!Array.isArray(value)) throw invalidTransaction(`"${name}" must be a list`);
  return value.map((item, index) => read(item, `${name}[${index}]`));
}

/** An object with exactly these members, in this order of the encoding. Members in `ignored` may be present. */
function tuple(fields: readonly (readonly [string, ReadField])[], ignored: readonly string[] = []): ReadField {
  const names = new Set([...fields.map(([member]) => member), ...ignored]);
  return (value, name) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw invalidTransaction(`"${name}" must be an object`);
    const unknown = Object.keys(value).find((member) => !names.has(member));
    if (unknown !== undefined) throw invalidTransaction(`"${name}" has the unknown member "${unknown}"`);
    return fields.map(([member, read]) => read((value as TransactionRequest)[member], `${name}.${member}`));
  };
}

const accessListEntry = tuple([
  ['address', bytes],
  ['storageKeys', (value, name) => listOf(value, name, bytes)],
]);
const authorization = tuple(
  [
    ['chainId', quantity],
    ['address', bytes],
    ['nonce', quantity],
    ['yParity', quantity],
    ['r', quantity],
    ['s', quantity],
  ],
  ['v'],
);

/** How the fields of a transaction are read. `optional` is what stands for an absent one. */
const readers: Readonly<Record<string, { readonly read: ReadField; readonly optional?: RlpItem }>> = {
  chainId: { read: quantity },
  nonce: { read: quantity },
  gasPrice: { read: quantity },
  maxPriorityFeePerGas: { read: quantity },
  maxFeePerGas: { read: quantity },
  gas: { read: quantity },
  to: { read: bytes, optional: new Uint8Array() },
  value: { read: quantity, optional: new Uint8Array() },
  data: { read: bytes, optional: new Uint8Array() },
  accessList: { read: (value, name) => listOf(value, name, accessListEntry), optional: [] },
  maxFeePerBlobGas: { read: quantity },
  blobVersionedHashes: { read: (value, name) => listOf(value, name, bytes) },
  authorizationList: { read: (value, name) => listOf(value, name, authorization) },
};

const feeMarket = ['chainId', 'nonce', 'maxPriorityFeePerGas', 'maxFeePerGas', 'gas', 'to', 'value', 'data', 'accessList'];

/** One row per type (EIP-2718), in the order of their encodings. */
const types: readonly { readonly prefix: readonly number[]; readonly fields: readonly string[] }[] = [
  { prefix: [], fields: ['nonce', 'gasPrice', 'gas', 'to', 'value', 'data'] },
  { prefix: [1], fields: ['chainId', 'nonce', 'gasPrice', 'gas', 'to', 'value', 'data', 'accessList'] },
  { prefix: [2], fields: feeMarket },
  { prefix: [3], fields: [...feeMarket, 'maxFeePerBlobGas', 'blobVersionedHashes'] },
  { prefix: [4], fields: [...feeMarket, 'authorizationList'] },
];

/** The type that the fields of a request belong to. */
function typeOf({ type, ...fields }: TransactionRequest): number {
  const has = (name: string) => fields[name] !== undefined;
  const isFeeMarket = has('maxFeePerGas') || has('maxPriorityFeePerGas');
  const found = has('authorizationList')
    ? 4
    : has('blobVersionedHashes') || has('maxFeePerBlobGas')
      ? 3
      : isFeeMarket
        ? 2
        : has('accessList')
          ? 1
          : 0;
  if (type === undefined) return found;
  const named = Number(readQuantity(type, 'type'));
  // A type with fewer fields than named is incomplete, and the missing fields are reported.
  if (named >= found && named < types.length && !(named < 2 && isFeeMarket)) return named;
  throw invalidTransaction(`"type" is ${type}, which does not fit the other fields`);
}

/** Members that name one field twice, and members without a value. */
function normalized(request: TransactionRequest): Record<string, unknown> {
  const fields = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined && value !== null));
  const { input, data, ...rest } = fields;
  if (input !== undefined && data !== undefined && input !== data)
    throw invalidTransaction('"input" and "data" are two names of one field, and differ. Send one of them');
  const content = data ?? input;
  return content === undefined ? rest : { ...rest, data: content };
}

/**
 * The unsigned transaction of a JSON-RPC request in hex, as `TRANSACTION_TYPE_ETHEREUM` reads it. Throws ChainError INVALID_TRANSACTION if
 * a field is missing that the signature covers, or is unknown. `from` and `chainId` are checked by the caller.
 */
export function encodeTransactionRequest(request: TransactionRequest): string {
  const { from: _, ...fields } = normalized(request);
  const type = typeOf(fields);
  const { prefix, fields: order } = types[type] as (typeof types)[number];
  const allowed = new Set([...order, 'type', 'chainId']);
  const unknown = Object.keys(fields).find((name) => !allowed.has(name));
  if (unknown !== undefined)
    throw invalidTransaction(
      readers[unknown] === undefined
        ? `the field "${unknown}" is unknown. Leave it out`
        : `the field "${unknown}" does not belong to a transaction of type ${type}`,
    );
  const read = (name: string): RlpItem => {
    const { read: readField, optional } = readers[name] as (typeof readers)[string];
    const value = fields[name];
    if (value !== undefined) return readField(value, name);
    if (optional !== undefined) return optional;
    throw invalidTransaction(`"${name}" is missing. Every field that the signature covers must be in the request`);
  };
  const chainId = read('chainId');
  // EIP-155: a legacy transaction ends with the chain id and two empty items.
  const items = [...order.map(read), ...(type === 0 ? [chainId, new Uint8Array(), new Uint8Array()] : [])];
  return bytesToHex(concat([Uint8Array.from(prefix), encodeRlp(items)]));
}

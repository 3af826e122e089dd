import { toHex } from '../shared/bytes.ts';
import { invalidTransaction } from '../shared/refusal.ts';
import { fromBigEndian, maxUint } from './integer.ts';
import type { RlpItem } from './rlp.ts';

/** One entry of an EIP-2930 access list. */
interface AccessListEntry {
  readonly address: string;
  readonly storageKeys: readonly string[];
}

/** One signed EIP-7702 authorization of a type 4 transaction. */
export interface SignedAuthorization {
  readonly chainId: bigint;
  readonly address: string;
  readonly nonce: bigint;
  readonly yParity: bigint;
  readonly r: bigint;
  readonly s: bigint;
}

/** The fields of all transaction types. Addresses and hashes are lower-case `0x` hex. */
export interface TransactionFields {
  readonly chainId: bigint;
  readonly nonce: bigint;
  readonly gasPrice: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly maxFeePerGas: bigint;
  readonly gas: bigint;
  /** Undefined for contract creation. */
  readonly to: string | undefined;
  readonly value: bigint;
  readonly data: Uint8Array;
  readonly accessList: readonly AccessListEntry[];
  readonly maxFeePerBlobGas: bigint;
  readonly blobVersionedHashes: readonly string[];
  readonly authorizationList: readonly SignedAuthorization[];
}

export type FieldName = keyof TransactionFields;

// Showing whose account an authorization delegates costs a signature recovery each.
const maxAuthorizations = 64;

/** Reads each field from its RLP item. Throws ChainError INVALID_TRANSACTION that names the field. */
export const fieldReaders: { readonly [F in FieldName]: (item: RlpItem) => TransactionFields[F] } = {
  chainId: (item) => {
    const chainId = readInteger(item, 'chain id', 64);
    // No chain has the id 0. A transaction with id 0 would look bound to a chain without being so.
    if (chainId === 0n) throw invalidTransaction('the chain id is 0, which no chain has');
    return chainId;
  },
  // EIP-2681: the largest nonce of an account that can still send is 2^64 - 2.
  nonce: (item) => {
    const nonce = readInteger(item, 'nonce', 64);
    if (nonce === maxUint(64)) throw invalidTransaction('the nonce is larger than EIP-2681 allows');
    return nonce;
  },
  gasPrice: (item) => readInteger(item, 'gas price', 256),
  maxPriorityFeePerGas: (item) => readInteger(item, 'max priority fee per gas', 256),
  maxFeePerGas: (item) => readInteger(item, 'max fee per gas', 256),
  gas: (item) => readInteger(item, 'gas limit', 64),
  to: (item) => (item.length === 0 && item instanceof Uint8Array ? undefined : readFixed(item, '"to" address', 20)),
  value: (item) => readInteger(item, 'value', 256),
  data: (item) => readBytes(item, 'data'),
  accessList: (item) => readList(item, 'access list').map(readAccessListEntry),
  maxFeePerBlobGas: (item) => readInteger(item, 'max fee per blob gas', 256),
  blobVersionedHashes: (item) => {
    const hashes = readList(item, 'blob versioned hashes').map((hash) => readFixed(hash, 'blob versioned hash', 32));
    if (hashes.length === 0)
      throw invalidTransaction(
        'a blob transaction (type 3) needs at least one blob versioned hash (EIP-4844); without blobs, send it as type 2',
      );
    // EIP-4844: the first byte is the commitment's version, and only 0x01 (KZG) exists.
    const other = hashes.find((hash) => !hash.startsWith('0x01'));
    if (other !== undefined) throw invalidTransaction(`the blob versioned hash ${other} is not of version 0x01`);
    return hashes;
  },
  authorizationList: (item) => {
    const list = readList(item, 'authorization list');
    if (list.length === 0) throw invalidTransaction('a set-code transaction (type 4) needs at least one authorization');
    if (list.length > maxAuthorizations)
      throw invalidTransaction(`more than ${maxAuthorizations} authorizations in one transaction`);
    return list.map(readAuthorization);
  },
};

function readAccessListEntry(item: RlpItem): AccessListEntry {
  const [address, storageKeys] = readTuple(item, 'access list entry', 2);
  return {
    address: readFixed(address, 'access list address', 20),
    storageKeys: readList(storageKeys, 'access list storage keys').map((key) => readFixed(key, 'access list storage key', 32)),
  };
}

function readAuthorization(item: RlpItem): SignedAuthorization {
  const [chainId, address, nonce, yParity, r, s] = readTuple(item, 'authorization', 6);
  return {
    chainId: readInteger(chainId, 'authorization chain id', 256),
    address: readFixed(address, 'authorization address', 20),
    nonce: readInteger(nonce, 'authorization nonce', 64),
    yParity: readInteger(yParity, 'authorization y parity', 8),
    r: readInteger(r, 'authorization r', 256),
    s: readInteger(s, 'authorization s', 256),
  };
}

/** An unsigned integer of at most `bits` bits without leading zeros. */
export function readInteger(item: RlpItem | undefined, name: string, bits: number): bigint {
  const bytes = readBytes(item, name);
  if (bytes[0] === 0) throw invalidTransaction(`the ${name} is not canonical: it has leading zeros`);
  if (bytes.length * 8 > bits) throw invalidTransaction(`the ${name} does not fit into ${bits} bits`);
  return fromBigEndian(bytes);
}

function readFixed(item: RlpItem | undefined, name: string, size: number): string {
  const bytes = readBytes(item, name);
  if (bytes.length !== size) throw invalidTransaction(`the ${name} has ${bytes.length} bytes, but needs ${size}`);
  return toHex(bytes);
}

function readBytes(item: RlpItem | undefined, name: string): Uint8Array {
  if (!(item instanceof Uint8Array)) throw invalidTransaction(`the ${name} is a list, but must be bytes`);
  return item;
}

function readList(item: RlpItem | undefined, name: string): readonly RlpItem[] {
  if (item === undefined || item instanceof Uint8Array) throw invalidTransaction(`the ${name} is not a list`);
  return item;
}

function readTuple(item: RlpItem, name: string, size: number): readonly RlpItem[] {
  const items = readList(item, name);
  if (items.length !== size) throw invalidTransaction(`an ${name} has ${items.length} items, but needs ${size}`);
  return items;
}

import { equalBytes } from '@noble/curves/utils.js';
import { concat, fromHexDigits, withoutPrefix } from '../shared/bytes.ts';
import { invalidTransaction } from '../shared/refusal.ts';
import { toBigEndian } from './integer.ts';
import { decodeRlp, encodeRlp, type RlpItem } from './rlp.ts';
import { type FieldName, fieldReaders, readInteger, type TransactionFields } from './transaction-fields.ts';

/** The names by which policies know the transaction types. */
type EnvelopeType = 'LEGACY' | 'TYPE_1' | 'TYPE_2' | 'TYPE_3' | 'TYPE_4';

/** A canonical unsigned transaction: its bytes and its fields. */
export interface TransactionEnvelope {
  readonly type: EnvelopeType;
  /** The bytes whose keccak-256 is signed: exactly the input. */
  readonly signingBytes: Uint8Array;
  /** The fields in wire order. Signing appends the signature to them. */
  readonly items: readonly RlpItem[];
  /** Only the fields of this type. `chainId` is absent in a legacy transaction without EIP-155. */
  readonly fields: Partial<TransactionFields> & Pick<TransactionFields, 'nonce' | 'gas' | 'to' | 'value' | 'data'>;
}

/** An ECDSA signature of the signing bytes. */
interface EnvelopeSignature {
  readonly r: bigint;
  readonly s: bigint;
  readonly yParity: 0 | 1;
}

interface EnvelopeKind {
  readonly type: EnvelopeType;
  /** The EIP-2718 type byte. A legacy transaction has none. */
  readonly prefix: readonly [number] | readonly [];
  /** The fields in wire order, without the signature. */
  readonly fields: readonly FieldName[];
  /** EIP-4844 and EIP-7702 do not allow contract creation. */
  readonly mayCreate: boolean;
}

const feeMarket = [
  'chainId',
  'nonce',
  'maxPriorityFeePerGas',
  'maxFeePerGas',
  'gas',
  'to',
  'value',
  'data',
  'accessList',
] as const;
const accessList = ['chainId', 'nonce', 'gasPrice', 'gas', 'to', 'value', 'data', 'accessList'] as const;

/** One row per type: legacy, EIP-2930, EIP-1559, EIP-4844 (the body without its blobs) and EIP-7702. */
const kinds: readonly EnvelopeKind[] = [
  { type: 'LEGACY', prefix: [], fields: ['nonce', 'gasPrice', 'gas', 'to', 'value', 'data'], mayCreate: true },
  { type: 'TYPE_1', prefix: [0x01], fields: accessList, mayCreate: true },
  { type: 'TYPE_2', prefix: [0x02], fields: feeMarket, mayCreate: true },
  { type: 'TYPE_3', prefix: [0x03], fields: [...feeMarket, 'maxFeePerBlobGas', 'blobVersionedHashes'], mayCreate: false },
  { type: 'TYPE_4', prefix: [0x04], fields: [...feeMarket, 'authorizationList'], mayCreate: false },
];

// Ethereum nodes refuse larger transactions in their pools, so a larger one is a mistake or an attack.
const maxBytes = 131_072;

/**
 * Reads an unsigned transaction from hex, with or without `0x`.
 * Throws ChainError INVALID_TRANSACTION unless it is canonical, complete and unsigned.
 */
export function parseEnvelope(unsignedTransaction: string): TransactionEnvelope {
  const signingBytes = readHex(unsignedTransaction);
  const kind = kindOf(signingBytes);
  const body = decodeRlp(signingBytes.subarray(kind.prefix.length));
  if (body instanceof Uint8Array) throw invalidTransaction('the transaction body is not an RLP list');
  const { items, chainItem } = unsignedItems(kind, body);
  const fields = readFields(kind, items, chainItem);
  checkSense(kind, fields);
  // INVARIANT: the parsed fields encode to the input again, so policies see every byte.
  if (!equalBytes(encodeItems(kind, body), signingBytes))
    throw invalidTransaction('the transaction is not in canonical RLP form');
  return { type: kind.type, signingBytes, items, fields };
}

/**
 * The fields of a signed transaction, without the chain id of a legacy one. Does not verify the signature.
 * Throws ChainError INVALID_TRANSACTION unless it has a signature.
 */
export function readSignedFields(signedTransaction: string): TransactionEnvelope['fields'] {
  const bytes = readHex(signedTransaction);
  const kind = kindOf(bytes);
  const body = decodeRlp(bytes.subarray(kind.prefix.length));
  if (body instanceof Uint8Array || body.length !== kind.fields.length + 3)
    throw invalidTransaction('the transaction is not signed');
  return readFields(kind, body);
}

/** The signed transaction: the same items plus the signature (EIP-155, EIP-2718). */
export function signEnvelope(envelope: TransactionEnvelope, { r, s, yParity }: EnvelopeSignature): Uint8Array {
  const kind = kindOf(envelope.signingBytes);
  const { chainId } = envelope.fields;
  const legacyBase = chainId === undefined ? 27n : 35n + 2n * chainId;
  const v = BigInt(yParity) + (kind.type === 'LEGACY' ? legacyBase : 0n);
  return encodeItems(kind, [...envelope.items, ...[v, r, s].map(toBigEndian)]);
}

function readHex(text: string): Uint8Array {
  const digits = withoutPrefix(text);
  if (digits.length === 0) throw invalidTransaction('the transaction is empty');
  if (digits.length > maxBytes * 2) throw invalidTransaction(`the transaction is larger than ${maxBytes} bytes`);
  const bytes = fromHexDigits(digits);
  if (bytes === undefined) throw invalidTransaction('the transaction is not hexadecimal, or has an odd number of digits');
  return bytes;
}

function kindOf(bytes: Uint8Array): EnvelopeKind {
  const first = bytes[0] ?? 0;
  // EIP-2718: a legacy transaction is an RLP list, so its first byte is 0xc0 or more. Type bytes are below 0x80.
  const kind = kinds.find(({ prefix: [byte] }) => (byte === undefined ? first >= 0xc0 : first === byte));
  if (kind !== undefined) return kind;
  const shown = `0x${first.toString(16).padStart(2, '0')}`;
  throw invalidTransaction(
    first < 0x80
      ? `transaction type ${shown} is not supported; types 0x01 to 0x04 and legacy transactions are`
      : `the transaction begins with ${shown}, which is neither a type byte nor an RLP list`,
  );
}

interface UnsignedItems {
  readonly items: readonly RlpItem[];
  /** The chain id that EIP-155 puts after the fields of a legacy transaction. */
  readonly chainItem?: RlpItem;
}

function unsignedItems(kind: EnvelopeKind, body: readonly RlpItem[]): UnsignedItems {
  const expected = kind.fields.length;
  if (body.length === expected) return { items: body };
  if (body.length === expected + 3) {
    const [chainItem, r, s] = body.slice(expected);
    // EIP-155: the unsigned form ends with the chain id and two empty items. Values in those items are a signature.
    const unsigned = kind.type === 'LEGACY' && readInteger(r, 'r', 256) === 0n && readInteger(s, 's', 256) === 0n;
    if (unsigned && chainItem !== undefined) return { items: body.slice(0, expected), chainItem };
    throw invalidTransaction('the transaction is already signed: it ends with v, r and s');
  }
  if (kind.type === 'TYPE_3' && body[0] !== undefined && !(body[0] instanceof Uint8Array)) {
    throw invalidTransaction(
      'this blob transaction includes its blobs; send only its body, without blobs, commitments and proofs',
    );
  }
  throw invalidTransaction(`the transaction has ${body.length} fields, but ${kind.type} has ${expected}`);
}

function readFields(kind: EnvelopeKind, items: readonly RlpItem[], chainItem?: RlpItem): TransactionEnvelope['fields'] {
  const entries: (readonly [FieldName, unknown])[] = kind.fields.map((name, index) => [
    name,
    fieldReaders[name](items[index] ?? []),
  ]);
  if (chainItem !== undefined) entries.push(['chainId', fieldReaders.chainId(chainItem)]);
  // Each row of `kinds` names the five required fields, and each reader returns the type of its field.
  return Object.fromEntries(entries) as unknown as TransactionEnvelope['fields'];
}

/** Refuses fields that no chain accepts or that would make the fees that policies see misleading. */
function checkSense(kind: EnvelopeKind, { to, maxFeePerGas, maxPriorityFeePerGas }: TransactionEnvelope['fields']): void {
  if (to === undefined && !kind.mayCreate) throw invalidTransaction(`a transaction of ${kind.type} needs a "to" address`);
  if (maxFeePerGas !== undefined && maxPriorityFeePerGas !== undefined && maxPriorityFeePerGas > maxFeePerGas) {
    throw invalidTransaction('the max priority fee per gas is higher than the max fee per gas');
  }
}

function encodeItems(kind: EnvelopeKind, items: readonly RlpItem[]): Uint8Array {
  return concat([Uint8Array.from(kind.prefix), encodeRlp(items)]);
}

import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { base64urlnopad, hex } from '@scure/base';
import { type AddressFormat, defineAddressFormat } from './address-format.ts';
import { crc16 } from './crc16.ts';
import { requireLength } from './encodings.ts';

/** Bits as (value, width) pairs, in writing order. */
type Bits = readonly (readonly [value: bigint, width: number])[];

interface WalletContract<Id extends string> {
  readonly id: Id;
  /** Representation hash and depth of the contract's code cell. An address needs nothing else of the code. */
  readonly codeHash: string;
  readonly codeDepth: number;
  /** The contract's first data cell, without references. */
  data(key: bigint): Bits;
}

const SEQNO: Bits[number] = [0n, 32];
/** The wallet id that v3 and v4 contracts use on workchain 0. */
const WALLET_ID = 698_983_191n;
/** v5: the global id of the main network (-239) combined with client context, workchain 0, version 0 and subwallet 0. */
const WALLET_ID_V5 = 0x7fff_ff11n;

const BOUNCEABLE = 0x11;
const NON_BOUNCEABLE = 0x51;
const WORKCHAIN = 0x00;

/**
 * Representation hash of an ordinary cell of level 0 (TON whitepaper 3.1.4): descriptors, data with its completion tag, then
 * depths and hashes of references.
 */
function cellHash(bits: Bits, references: readonly { readonly hash: Uint8Array; readonly depth: number }[]): Uint8Array {
  const width = bits.reduce((sum, [, each]) => sum + each, 0);
  const bytes = Math.ceil(width / 8);
  let value = bits.reduce((sum, [each, size]) => (sum << BigInt(size)) | each, 0n);
  // A cell that ends inside a byte is closed with a 1 bit and zeros.
  const open = bytes * 8 - width;
  if (open > 0) value = ((value << 1n) | 1n) << BigInt(open - 1);

  return sha256(
    concatBytes(
      Uint8Array.of(references.length, Math.floor(width / 8) + bytes),
      hex.decode(value.toString(16).padStart(bytes * 2, '0')),
      ...references.map(({ depth }) => Uint8Array.of(depth >> 8, depth & 0xff)),
      ...references.map(({ hash }) => hash),
    ),
  );
}

/** The account id on workchain 0: the hash of a StateInit with only code and data (block.tlb: `00110`). */
function accountId(contract: WalletContract<string>, publicKey: Uint8Array): Uint8Array {
  const data = cellHash(contract.data(BigInt(`0x${hex.encode(publicKey)}`)), []);
  return cellHash(
    [[0b00110n, 5]],
    [
      { hash: hex.decode(contract.codeHash), depth: contract.codeDepth },
      { hash: data, depth: 0 },
    ],
  );
}

/** TEP-2 user-friendly form: flags, workchain, account id and CRC-16 in big-endian order; base64url, bounceable. */
function print(account: Uint8Array): string {
  const body = concatBytes(Uint8Array.of(BOUNCEABLE, WORKCHAIN), account);
  const crc = crc16(body);
  return base64urlnopad.encode(concatBytes(body, Uint8Array.of(crc >> 8, crc & 0xff)));
}

/** Reads the raw form and both user-friendly forms in either base64 alphabet. Refuses test-network flags and other workchains. */
function read(text: string): Uint8Array {
  const raw = /^0:([0-9a-fA-F]{64})$/.exec(text)?.[1];
  if (raw !== undefined) return hex.decode(raw.toLowerCase());

  // TEP-2 allows either alphabet, but not a mixture.
  const plain = /^[A-Za-z0-9+/]{48}$/.test(text);
  const bytes = requireLength(base64urlnopad.decode(plain ? text.replaceAll('+', '-').replaceAll('/', '_') : text), 36);
  const crc = crc16(bytes.subarray(0, 34));
  if (bytes[34] !== crc >> 8 || bytes[35] !== (crc & 0xff)) throw new Error('bad checksum');
  if (bytes[0] !== BOUNCEABLE && bytes[0] !== NON_BOUNCEABLE) throw new Error('another network');
  if (bytes[1] !== WORKCHAIN) throw new Error('another workchain');
  return bytes.slice(2, 34);
}

function tonFormat<const Id extends string>(contract: WalletContract<Id>): AddressFormat<Id> {
  return defineAddressFormat({
    id: contract.id,
    curves: ['CURVE_ED25519'],
    defaultPath: "m/44'/607'/0'/0'/0'",
    payload: (key) => accountId(contract, key.compressed),
    print,
    read,
  });
}

/** TON wallet contract v3 revision 2. */
export const tonV3R2 = tonFormat({
  id: 'ADDRESS_FORMAT_TON_V3R2',
  codeHash: '84dafa449f98a6987789ba232358072bc0f76dc4524002a5d0918b9a75d2d599',
  codeDepth: 0,
  data: (key) => [SEQNO, [WALLET_ID, 32], [key, 256]],
});

/** TON wallet contract v4 revision 2: v3 plus an empty dictionary of plugins. */
export const tonV4R2 = tonFormat({
  id: 'ADDRESS_FORMAT_TON_V4R2',
  codeHash: 'feb5ff6820e2ff0d9483e7e0d62c817d846789fb4ae580c878866d959dabd5c0',
  codeDepth: 7,
  data: (key) => [SEQNO, [WALLET_ID, 32], [key, 256], [0n, 1]],
});

/** TON wallet contract v5 revision 1: signatures allowed, and an empty dictionary of extensions. */
export const tonV5R1 = tonFormat({
  id: 'ADDRESS_FORMAT_TON_V5R1',
  codeHash: '20834b7b72b112147e1b2fb457b84e74d1a30f04f737d4f62a668e9552d2b72f',
  codeDepth: 6,
  data: (key) => [[1n, 1], SEQNO, [WALLET_ID_V5, 32], [key, 256], [0n, 1]],
});

import { isUtf8 } from 'node:buffer';
import { CredentialError } from '../credential-error.ts';

/** The values of RFC 8949 that authenticators use. */
export type CborValue = null | boolean | number | string | Uint8Array | readonly CborValue[] | CborMap;
/** A map whose names are texts, or numbers as in COSE. */
export type CborMap = ReadonlyMap<number | string, CborValue>;

/** Attestations nest four levels deep. */
const MAX_DEPTH = 8;

/**
 * Reads the CBOR item (RFC 8949) that starts at `start`, and returns it with its end. Accepts only the encodings that CTAP 2.1 section 8
 * allows an authenticator, so that no two readers see different things: definite lengths, shortest heads, no duplicate names, no tags,
 * no floats. Throws a `CredentialError` for anything else.
 */
export function readCborItem(bytes: Uint8Array, start: number): { readonly value: CborValue; readonly end: number } {
  const reader = new Reader(bytes, start);
  const value = reader.item(0);
  return { value, end: reader.at };
}

/** Reads bytes that are exactly one CBOR map. */
export function readCborMap(bytes: Uint8Array): CborMap {
  const { value, end } = readCborItem(bytes, 0);
  if (end !== bytes.length) throw new CredentialError('There are extra bytes after the CBOR data.');
  if (!(value instanceof Map)) throw new CredentialError('The CBOR data is not a map.');
  return value;
}

/** The bytes as one CBOR byte string in its shortest form. */
export function toCborBytes(bytes: Uint8Array): Uint8Array {
  const { length } = bytes;
  const head = length < 24 ? [0x40 | length] : length < 0x100 ? [0x58, length] : [0x59, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), bytes]);
}

class Reader {
  at: number;
  private readonly bytes: Uint8Array;
  private readonly view: DataView;

  constructor(bytes: Uint8Array, start: number) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = start;
  }

  item(depth: number): CborValue {
    if (depth > MAX_DEPTH) throw new CredentialError('The CBOR data is nested too deeply.');
    const head = this.byte();
    const major = head >> 5;
    const info = head & 0x1f;
    if (major === 7) return this.simple(info);
    const argument = this.argument(info);
    switch (major) {
      case 0:
        return argument;
      case 1:
        return -1 - argument;
      case 2:
        return this.take(argument);
      case 3:
        return this.text(argument);
      case 4:
        return this.array(argument, depth);
      case 5:
        return this.map(argument, depth);
      default:
        throw new CredentialError('CBOR tags are not accepted.');
    }
  }

  private simple(info: number): CborValue {
    if (info === 20) return false;
    if (info === 21) return true;
    if (info === 22) return null;
    throw new CredentialError('Only false, true and null are accepted as simple CBOR values.');
  }

  /** The number in an item's head: a value, or a length. */
  private argument(info: number): number {
    if (info < 24) return info;
    const argument = this.longArgument(info);
    // RFC 8949 section 4.2.1: only the shortest form is allowed.
    const least = info === 24 ? 24 : info === 25 ? 0x100 : info === 26 ? 0x1_0000 : 0x1_0000_0000;
    if (argument < least) throw new CredentialError('A CBOR number is not in its shortest form.');
    if (argument > Number.MAX_SAFE_INTEGER) throw new CredentialError('A CBOR number is too large.');
    return argument;
  }

  private longArgument(info: number): number {
    const from = this.at;
    if (info > 27) throw new CredentialError('CBOR items of indefinite length are not accepted.');
    this.take(1 << (info - 24));
    if (info === 24) return this.view.getUint8(from);
    if (info === 25) return this.view.getUint16(from);
    if (info === 26) return this.view.getUint32(from);
    return Number(this.view.getBigUint64(from));
  }

  private text(length: number): string {
    const bytes = this.take(length);
    if (!isUtf8(bytes)) throw new CredentialError('A CBOR text is not valid UTF-8.');
    return Buffer.from(bytes).toString();
  }

  private array(length: number, depth: number): readonly CborValue[] {
    const array: CborValue[] = [];
    for (let index = 0; index < length; index++) array.push(this.item(depth + 1));
    return array;
  }

  private map(length: number, depth: number): CborMap {
    const map = new Map<number | string, CborValue>();
    for (let index = 0; index < length; index++) {
      const name = this.item(depth + 1);
      if (typeof name !== 'number' && typeof name !== 'string')
        throw new CredentialError('A CBOR key is neither a number nor a text.');
      if (map.has(name)) throw new CredentialError('A CBOR map contains a key twice.');
      map.set(name, this.item(depth + 1));
    }
    return map;
  }

  private byte(): number {
    return this.take(1)[0] as number;
  }

  private take(length: number): Uint8Array {
    const end = this.at + length;
    if (end > this.bytes.length) throw new CredentialError('The CBOR data ends too early.');
    const taken = this.bytes.subarray(this.at, end);
    this.at = end;
    return taken;
  }
}

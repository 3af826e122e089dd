import type { Steps } from '@countersign/collections';
import type { PolicyValue } from '@countersign/policy';
import type { ExactJsonValue } from '@countersign/strict-json';
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { concat, toHex } from '../shared/bytes.ts';
import { invalidTypedData } from '../shared/refusal.ts';
import type { CountedHashing } from './counted-hashing.ts';
import { toWord } from './integer.ts';
import { parseJsonAddress, parseJsonBytes, parseJsonInteger } from './json-value.ts';
import { type ElementaryType, integerFits } from './solidity-type.ts';
import { encodeType, type StructTypes, type TypedDataType } from './typed-data-types.ts';

/** A struct's EIP-712 hash and the value that policies see. One pass makes both, so they cannot differ. */
interface HashedStruct {
  readonly hash: Uint8Array;
  readonly view: ReadonlyMap<string, PolicyValue>;
}

/** Reads and hashes structs of one set of types. */
interface StructHasher {
  /** Throws ChainError INVALID_TYPED_DATA unless the value has exactly the struct's members and each fits its type. */
  hashStruct(name: string, value: ExactJsonValue | undefined, path: string): Steps<HashedStruct>;
}

/** A value as its 32 bytes in the encoding of a struct, and as policies see it. */
interface EncodedValue {
  readonly word: Uint8Array;
  readonly view: PolicyValue;
}

/** A hasher for the given types. Caches type hashes, because arrays use the same type many times. */
export function structHasher(types: StructTypes, hashing: CountedHashing): StructHasher {
  const typeHashes = new Map<string, Uint8Array>();

  const typeHash = (name: string): Uint8Array => {
    const hash = typeHashes.get(name) ?? hashing.hash(utf8ToBytes(encodeType(types, name)));
    typeHashes.set(name, hash);
    return hash;
  };

  function* hashStruct(name: string, value: ExactJsonValue | undefined, path: string): Steps<HashedStruct> {
    if (!(value instanceof Map)) throw invalidTypedData(`${path} must be an object of the type ${name}`);
    const members = types.get(name) ?? [];
    const words = [typeHash(name)];
    const view = new Map<string, PolicyValue>();
    for (const member of members) {
      const part = value.get(member.name);
      if (part === undefined) throw invalidTypedData(`${path}.${member.name} is missing`);
      const encoded = yield* encode(member.type, part, `${path}.${member.name}`);
      words.push(encoded.word);
      view.set(member.name, encoded.view);
    }
    // All members were found, so a larger object has fields that the signature would not cover.
    if (value.size > members.length) throw invalidTypedData(`${path} has fields that the type ${name} does not have`);
    return { hash: hashing.hash(concat(words)), view };
  }

  function* encode(type: TypedDataType, value: ExactJsonValue, path: string): Steps<EncodedValue> {
    hashing.countValue();
    if (hashing.endsStep()) yield undefined;
    if (type.kind === 'struct') {
      const { hash, view } = yield* hashStruct(type.name, value, path);
      return { word: hash, view };
    }
    if (type.kind !== 'array') return encodeElementary(type, value, path, hashing);
    if (!Array.isArray(value)) throw invalidTypedData(`${path} must be a list`);
    if (type.length !== undefined && value.length !== type.length) {
      throw invalidTypedData(`${path} has ${value.length} items, but its type has ${type.length}`);
    }
    const words: Uint8Array[] = [];
    const views: PolicyValue[] = [];
    for (const [index, item] of (value as readonly ExactJsonValue[]).entries()) {
      const { word, view } = yield* encode(type.element, item, `${path}[${index}]`);
      words.push(word);
      views.push(view);
    }
    return { word: hashing.hash(concat(words)), view: views };
  }

  return { hashStruct };
}

function encodeElementary(type: ElementaryType, value: ExactJsonValue, path: string, hashing: CountedHashing): EncodedValue {
  switch (type.kind) {
    case 'uint':
    case 'int': {
      const integer = parseJsonInteger(value);
      if (integer === undefined || !integerFits(type, integer)) {
        throw invalidTypedData(`${path} is not an integer of ${type.kind}${type.bits}`);
      }
      return { word: toWord(integer), view: integer };
    }
    case 'bool':
      if (typeof value !== 'boolean') throw invalidTypedData(`${path} is not true or false`);
      return { word: toWord(value ? 1n : 0n), view: value };
    case 'address': {
      const address = parseJsonAddress(value, path);
      return { word: concat([new Uint8Array(12), hexToBytes(address.slice(2))]), view: address };
    }
    case 'string':
      if (typeof value !== 'string') throw invalidTypedData(`${path} is not a string`);
      return { word: hashing.hash(utf8ToBytes(value)), view: value };
    case 'bytes': {
      const bytes = parseJsonBytes(value);
      if (bytes === undefined) throw invalidTypedData(`${path} is not 0x and hexadecimal digits`);
      return { word: hashing.hash(bytes), view: toHex(bytes) };
    }
    case 'fixedBytes': {
      const bytes = parseJsonBytes(value);
      if (bytes?.length !== type.size) throw invalidTypedData(`${path} is not 0x and ${type.size} bytes of hexadecimal digits`);
      return { word: concat([bytes, new Uint8Array(32 - type.size)]), view: toHex(bytes) };
    }
  }
}

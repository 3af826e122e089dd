import { hash } from 'node:crypto';
import { type Addon, loadAddon } from '@countersign/native';
import { Secret } from '../keys/secret.ts';

/**
 * Joins texts so that no two lists give the same result: each text follows its length in UTF-16 units.
 * SECURITY: encode all authenticated data (associated data, MAC input) with this. Begin with a label that is used nowhere else.
 */
export function encodeFields(...fields: readonly string[]): string {
  let text = '';
  for (const field of fields) text += `${field.length}:${field}`;
  return text;
}

const DIGEST_BYTES = 32;

/** SHA-256. Every request needs more than ten of short texts, which take the addon 40 % less time than node:crypto. */
export const sha256: (data: Uint8Array) => Buffer = createSha256(loadAddon(process.env).addon?.sha256);

/** Takes the addon's function once it has given a known answer. An addon that was built before has none. */
export function createSha256(native: Addon['sha256'] | undefined): (data: Uint8Array) => Buffer {
  if (native === undefined) return slowSha256;
  const quick = (data: Uint8Array): Buffer => {
    const digest = Buffer.allocUnsafe(DIGEST_BYTES);
    native(data, digest);
    return digest;
  };
  const known = Buffer.from('countersign');
  return quick(known).equals(slowSha256(known)) ? quick : slowSha256;
}

/** The digest is a latin1 text: that takes half the time of a digest in a new buffer. */
function slowSha256(data: Uint8Array): Buffer {
  return Buffer.from(hash('sha256', data, 'binary'), 'binary');
}

/** The block of SHA-256, which HMAC fills with the key. */
const BLOCK_BYTES = 64;
/** Messages up to this length are hashed in a reused buffer. Nearly all records are shorter. */
const REUSED_BYTES = 16_384;
/** UTF-8 takes at most three bytes per UTF-16 unit. */
const MAX_BYTES_PER_UNIT = 3;

const nativeEach = usableEach(loadAddon(process.env).addon?.hmacSha256Each);

/** The function of the addon if it passes a known-answer test (RFC 4231, test case 2), else null. An older build lacks the function. */
export function usableEach(each: Addon['hmacSha256Each'] | undefined): Addon['hmacSha256Each'] | null {
  if (each === undefined) return null;
  const padded = (byte: number) => Uint8Array.from({ length: BLOCK_BYTES }, (_, at) => ('Jefe'.charCodeAt(at) || 0) ^ byte);
  const digests = Buffer.alloc(2 * DIGEST_BYTES);
  const message = Buffer.from('what do ya want for nothing?');
  const lengths = Uint32Array.of(message.length, message.length);
  each(padded(0x36), padded(0x5c), Buffer.concat([message, message]), new Uint8Array(lengths.buffer), digests);
  const known = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843';
  return digests.toString('hex') === known + known ? each : null;
}

/** HMAC-SHA-256 under one key. */
interface KeyedHash {
  digest(data: string | Uint8Array): Buffer;
  /** The concatenated digests of concatenated messages. */
  digestEach(messages: Uint8Array, lengths: Uint32Array): Buffer;
  /** Overwrites the key. Every later call throws. */
  wipe(): void;
}

/**
 * HMAC-SHA-256 (RFC 2104) for many short messages under one key of at most 64 bytes. The padded keys are computed once, at the
 * start of reused buffers, so a digest is two hashes: an Hmac object of node:crypto costs several times as much.
 * SECURITY: no other memory contains the key, except a temporary buffer for a long message, which is wiped after use.
 */
export function keyedHash(key: Secret, each: Addon['hmacSha256Each'] | null = nativeEach): KeyedHash {
  if (key.bytes.length > BLOCK_BYTES) throw new Error('the key is longer than a SHA-256 block');
  const padded = (byte: number, room: number) => {
    const buffer = Buffer.alloc(BLOCK_BYTES + room);
    buffer.fill(byte, 0, BLOCK_BYTES);
    for (const [at, value] of key.bytes.entries()) buffer[at] = value ^ byte;
    return buffer;
  };
  const [inner, outer] = [padded(0x36, REUSED_BYTES), padded(0x5c, DIGEST_BYTES)];
  const [innerKey, outerKey] = [inner.subarray(0, BLOCK_BYTES), outer.subarray(0, BLOCK_BYTES)];
  const kept = [new Secret(inner), new Secret(outer)];
  const oneLength = new Uint32Array(1);
  const oneLengthBytes = new Uint8Array(oneLength.buffer);
  let wiped = false;

  /** The bytes of a text, in the reused buffer if they fit. */
  function bytesOf(text: string): Uint8Array {
    if (text.length * MAX_BYTES_PER_UNIT > REUSED_BYTES) return Buffer.from(text);
    return inner.subarray(BLOCK_BYTES, BLOCK_BYTES + inner.write(text, BLOCK_BYTES, 'utf8'));
  }

  function innerDigest(data: string | Uint8Array): Buffer {
    const room = typeof data === 'string' ? data.length * MAX_BYTES_PER_UNIT : data.length;
    if (room <= REUSED_BYTES) return hashAfterKey(inner, data);
    const buffer = Buffer.alloc(BLOCK_BYTES + room);
    inner.copy(buffer, 0, 0, BLOCK_BYTES);
    const digest = hashAfterKey(buffer, data);
    buffer.fill(0, 0, BLOCK_BYTES);
    return digest;
  }

  function digest(data: string | Uint8Array): Buffer {
    if (wiped) throw new Error('this key was wiped');
    if (each === null) return hashAfterKey(outer, innerDigest(data));
    const message = typeof data === 'string' ? bytesOf(data) : data;
    const result = Buffer.allocUnsafe(DIGEST_BYTES);
    oneLength[0] = message.length;
    each(innerKey, outerKey, message, oneLengthBytes, result);
    return result;
  }

  return {
    digest,
    digestEach(messages, lengths) {
      if (wiped) throw new Error('this key was wiped');
      const digests = Buffer.alloc(lengths.length * DIGEST_BYTES);
      if (each === null) digestOneByOne(digest, messages, lengths, digests);
      else {
        const bytes = new Uint8Array(lengths.buffer, lengths.byteOffset, lengths.byteLength);
        each(innerKey, outerKey, messages, bytes, digests);
      }
      return digests;
    },
    wipe() {
      wiped = true;
      key.wipe();
      for (const secret of kept) secret.wipe();
    },
  };
}

function digestOneByOne(digest: KeyedHash['digest'], messages: Uint8Array, lengths: Uint32Array, digests: Uint8Array): void {
  if (lengths.reduce((total, length) => total + length, 0) !== messages.length)
    throw new TypeError('the lengths do not match the messages');
  let from = 0;
  for (const [index, length] of lengths.entries()) {
    digests.set(digest(messages.subarray(from, from + length)), index * DIGEST_BYTES);
    from += length;
  }
}

/** The hash of the first block of the buffer followed by the data, which is copied into the buffer. */
function hashAfterKey(buffer: Buffer, data: string | Uint8Array): Buffer {
  let length: number;
  if (typeof data === 'string') length = buffer.write(data, BLOCK_BYTES, 'utf8');
  else {
    buffer.set(data, BLOCK_BYTES);
    length = data.length;
  }
  return sha256(buffer.subarray(0, BLOCK_BYTES + length));
}

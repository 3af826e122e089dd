import { createHmac, hash, randomBytes, randomInt } from 'node:crypto';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { createKeccak, createSHA256 } from 'hash-wasm';
import sha3 from 'js-sha3';

const BLOCK_BYTES = 64;
const hex = (bytes) => Buffer.from(bytes).toString('hex');
/** Mostly short, around the ends of blocks; sometimes long. */
const someBytes = () => randomBytes(randomInt(20) === 0 ? randomInt(10_000) : randomInt(300));

function digested(write) {
  const digest = Buffer.alloc(32);
  write(digest);
  return hex(digest);
}

export async function sha256Cases(addon) {
  const wasm = await createSHA256();
  return {
    next: someBytes,
    implementations: {
      addon: (data) => digested((digest) => addon.sha256(data, digest)),
      OpenSSL: (data) => hash('sha256', data),
      noble: (data) => hex(sha256(data)),
      'hash-wasm': (data) => wasm.init().update(data).digest(),
    },
  };
}

export async function keccakCases(addon) {
  const wasm = await createKeccak(256);
  return {
    next: someBytes,
    implementations: {
      addon: (data) => digested((digest) => addon.keccak256(data, digest)),
      'js-sha3': (data) => sha3.keccak256(data),
      noble: (data) => hex(keccak_256(data)),
      'hash-wasm': (data) => wasm.init().update(data).digest(),
    },
  };
}

/** Several messages in one call, under one key. */
export async function hmacCases(addon) {
  const wasm = await createSHA256();
  const padded = (key, byte) => Buffer.alloc(BLOCK_BYTES, byte).map((value, at) => value ^ (key[at] ?? 0));
  // RFC 2104 over one instance: a new one per key makes Node stop after some thousands.
  const hashed = (...parts) => parts.reduce((hash, part) => hash.update(part), wasm.init()).digest('binary');
  const byWasm = (key, data) => hex(hashed(padded(key, 0x5c), hashed(padded(key, 0x36), data)));
  const joined = (answers) => answers.join();
  return {
    next: () => ({ key: randomBytes(1 + randomInt(BLOCK_BYTES)), messages: Array.from({ length: 1 + randomInt(4) }, someBytes) }),
    implementations: {
      addon({ key, messages }) {
        const digests = Buffer.alloc(32 * messages.length);
        const lengths = new Uint8Array(Uint32Array.from(messages, ({ length }) => length).buffer);
        addon.hmacSha256Each(padded(key, 0x36), padded(key, 0x5c), Buffer.concat(messages), lengths, digests);
        return joined(messages.map((_, at) => hex(digests.subarray(32 * at, 32 * at + 32))));
      },
      OpenSSL: ({ key, messages }) => joined(messages.map((each) => createHmac('sha256', key).update(each).digest('hex'))),
      noble: ({ key, messages }) => joined(messages.map((each) => hex(hmac(sha256, key, each)))),
      'hash-wasm': ({ key, messages }) => joined(messages.map((each) => byWasm(key, each))),
    },
  };
}

import type { HashFunction } from '@countersign/contract';
import type { SignerKey } from '../transaction.ts';

/**
 * How the bytes to sign of one chain look in a raw payload.
 * SECURITY: `hides` may say yes too often. If it says no, a signature over the bytes is good for no transaction of the chain that
 * `toUnsigned` and the parser of the chain do not read.
 */
export interface RawForm {
  /** The hash function of the chain's signatures. */
  readonly hashFunction: HashFunction;
  /** The unsigned transaction, as the parser of the chain takes it. Undefined if the bytes cannot be one. */
  readonly toUnsigned?: (bytes: Uint8Array) => string | undefined;
  /** Why bytes that do not parse may still be a transaction of the chain, as the end of a sentence: `the payload is …`. */
  readonly hides: (bytes: Uint8Array, signer: SignerKey) => string | undefined;
}

/** Whether bytes contain others. */
export function includesBytes(bytes: Uint8Array, part: Uint8Array): boolean {
  for (let at = bytes.indexOf(part[0] as number); at >= 0; at = bytes.indexOf(part[0] as number, at + 1))
    if (startsWith(bytes.subarray(at), part)) return true;
  return false;
}

/** Whether bytes begin with others. */
export function startsWith(bytes: Uint8Array, part: Uint8Array): boolean {
  if (bytes.length < part.length) return false;
  for (let index = 0; index < part.length; index++) if (bytes[index] !== part[index]) return false;
  return true;
}

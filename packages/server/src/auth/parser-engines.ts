import type { ParserEngines } from '@countersign/judgement';
import { sha256 as native } from '../vault/integrity/keyed-hash.ts';
import { recoverPublicKey } from './api-key/recover-public-key.ts';
import { secp256k1Engine } from './api-key/secp256k1-engine.ts';
import { keccak256 } from './keccak256.ts';

/** SHA-256 for parsers. Plain bytes, because parsers expect `slice` to copy, and the `slice` of a Buffer returns a view. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(native(bytes));
}

/** What parsers compute, by the fastest engines that work here. */
export const parserEngines: ParserEngines = {
  keccak256,
  recoverPublicKey,
  sha256,
  tweakPublicKey: secp256k1Engine.tweakPublicKey,
};

import { sha256 as native } from '../../vault/sha256.ts';

/** SHA-256 for parsers. Plain bytes, because the `slice` of a Buffer gives a view where they expect a copy. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(native(bytes));
}

import { TlogError } from '../errors.ts';
import { TILE_WIDTH } from './tile.ts';

/** The largest entry, because its length is written as a uint16. */
export const MAX_ENTRY_BYTES = 0xffff;

/** An entry bundle: each entry after its length as a big-endian uint16 (C2SP tlog-tiles, "Log entries"). */
export function formatEntryBundle(entries: readonly Uint8Array[]): Uint8Array {
  if (entries.length < 1 || entries.length > TILE_WIDTH) throw new TlogError(`an entry bundle has 1 to ${TILE_WIDTH} entries`);
  const tooLong = entries.findIndex(({ length }) => length > MAX_ENTRY_BYTES);
  if (tooLong >= 0) throw new TlogError(`entry ${tooLong} of the bundle has more than ${MAX_ENTRY_BYTES} bytes`);
  const bundle = new Uint8Array(entries.reduce((total, { length }) => total + 2 + length, 0));
  const view = new DataView(bundle.buffer);
  let at = 0;
  for (const entry of entries) {
    view.setUint16(at, entry.length);
    bundle.set(entry, at + 2);
    at += 2 + entry.length;
  }
  return bundle;
}

/**
 * The entries of a bundle. Throws TlogError unless the bundle has exactly `width` entries.
 * SECURITY: the bundle itself proves nothing. Compare the leaf hash of each entry with a hash that a verified reader gave.
 */
export function parseEntryBundle(bundle: Uint8Array, width: number): readonly Uint8Array[] {
  if (!(Number.isInteger(width) && width >= 1 && width <= TILE_WIDTH))
    throw new TlogError(`an entry bundle has 1 to ${TILE_WIDTH} entries`);
  const view = new DataView(bundle.buffer, bundle.byteOffset, bundle.byteLength);
  const entries: Uint8Array[] = [];
  let at = 0;
  while (entries.length < width) {
    if (at + 2 > bundle.length) throw new TlogError(`the bundle ends before entry ${entries.length}`);
    const end = at + 2 + view.getUint16(at);
    if (end > bundle.length) throw new TlogError(`the bundle ends within entry ${entries.length}`);
    entries.push(bundle.slice(at + 2, end));
    at = end;
  }
  if (at !== bundle.length) throw new TlogError('the bundle goes on after its last entry');
  return entries;
}

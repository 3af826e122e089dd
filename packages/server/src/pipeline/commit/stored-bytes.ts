import type { Commit } from '../../store/store.ts';

/**
 * Bytes that a commit stores: all fields of all rows that it writes, before encryption and without indexes.
 * INVARIANT: D363: a row that is written by a commit counts, whichever table it goes to. Deleted rows count nothing.
 */
export function storedBytesOf({ activity, logEntry, writes, usage = [] }: Commit): number {
  let bytes = rowBytes(activity) + rowBytes(logEntry);
  for (const write of writes) if (write.op !== 'delete') bytes += rowBytes(write.row);
  for (const { next } of usage) bytes += rowBytes(next);
  return bytes;
}

function rowBytes(row: object | undefined): number {
  if (row === undefined) return 0;
  let bytes = 0;
  for (const value of Object.values(row)) {
    if (typeof value === 'string') bytes += Buffer.byteLength(value);
    else if (value instanceof Uint8Array) bytes += value.length;
    else bytes += 8;
  }
  return bytes;
}

import { createHash } from 'node:crypto';

const longest = 256;
const mark = '\u0001';

/**
 * Stored form of a lookup value: the value itself, or a digest if the value is too long for an index entry (PostgreSQL rejects more than
 * 2,704 bytes). Two values never share a stored form.
 */
export function toLookupKey(value: string): string {
  if (value.length <= longest && !value.startsWith(mark)) return value;
  return `${mark}sha256:${createHash('sha256').update(value, 'utf8').digest('hex')}`;
}

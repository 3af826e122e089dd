import { createHash } from 'node:crypto';

const longest = 256;
const mark = '\u0001';

/**
 * The stored form of a lookup value: the value itself, or a digest if it is too long for an index entry (PostgreSQL refuses more
 * than 2,704 bytes). Two values never share a form.
 */
export function toLookupKey(value: string): string {
  if (value.length <= longest && !value.startsWith(mark)) return value;
  return `${mark}sha256:${createHash('sha256').update(value, 'utf8').digest('hex')}`;
}

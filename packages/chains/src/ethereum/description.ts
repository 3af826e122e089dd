import type { PolicyValue } from '@countersign/policy';
import { toChecksumAddress } from '../addresses/ethereum.ts';

const maxShownValues = 8;
const maxShownDepth = 2;
const maxShownText = 66;

/** Named values for a sentence, shortened where they are many, long or deep: `dst: 0xAbC…, wad: 5`. */
export function describeValues(values: ReadonlyMap<string, PolicyValue>): string {
  return describeMembers(values, 0);
}

/** One value for a sentence. */
export function describeOne(value: PolicyValue): string {
  return describeValue(value, 0);
}

function describeMembers(values: ReadonlyMap<string, PolicyValue>, depth: number): string {
  return listed([...values], ([name, value]) => `${name}: ${describeValue(value, depth)}`);
}

function describeValue(value: PolicyValue, depth: number): string {
  if (value instanceof Map) return depth < maxShownDepth ? `{${describeMembers(value, depth + 1)}}` : `{${value.size} fields}`;
  if (Array.isArray(value)) {
    const items: readonly PolicyValue[] = value;
    return depth < maxShownDepth ? `[${listed(items, (item) => describeValue(item, depth + 1))}]` : `[${items.length} items]`;
  }
  if (typeof value !== 'string') return String(value);
  if (/^0x[0-9a-f]{40}$/.test(value)) return toChecksumAddress(value);
  return /^0x[0-9a-f]*$/.test(value) ? shorten(value) : quote(value);
}

/** SECURITY: D354: describes only the shown values, because the checksum of an address costs a hash. */
function listed<T>(values: readonly T[], describe: (value: T) => string): string {
  const shown = values.slice(0, maxShownValues).map(describe).join(', ');
  const more = values.length - maxShownValues;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/**
 * Quotes text from a caller. SECURITY: escapes control, format and separator characters, so the text can neither break out of
 * its quotes nor reorder what a person reads.
 */
export function quote(text: string): string {
  const escaped = shorten(text).replace(
    /[\p{C}\p{Zl}\p{Zp}"\\]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
  return `"${escaped}"`;
}

function shorten(text: string): string {
  return text.length > maxShownText ? `${text.slice(0, maxShownText)}… (${text.length} characters)` : text;
}

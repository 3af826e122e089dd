import { TlogError } from '../errors.ts';

/**
 * The place of a stored hash: the root of the complete subtree over the 2^level leaves that start at leaf index * 2^level.
 * INVARIANT: a hash at a place never changes once all its leaves exist, so it can be stored.
 */
export interface Place {
  readonly level: number;
  readonly index: number;
}

/** The leaves from `start` up to, not including, `end`. */
export interface LeafRange {
  readonly start: number;
  readonly end: number;
}

/** Throws TlogError unless the value is an integer from 0 to 2^53 - 1, the range in which numbers are exact. */
export function requireCount(value: number, name: string): void {
  if (!isCount(value)) throw new TlogError(`${name} must be an integer from 0 to 2^53 - 1`);
}

/** Whether a value that came from outside is an integer from 0 to 2^53 - 1. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && !Object.is(value, -0);
}

/** The largest power of two that is smaller than `count` (RFC 6962 section 2.1 calls it k). `count` is at least 2. */
export function splitPoint(count: number): number {
  let power = 1;
  while (power * 2 < count) power *= 2;
  return power;
}

/**
 * The complete subtrees that make up a range, largest first.
 * INVARIANT: the range is a subtree of RFC 6962: its start is a multiple of the smallest power of two that is not below its length.
 */
export function placesOf({ start, end }: LeafRange): readonly Place[] {
  const places: Place[] = [];
  for (let at = start; at < end; ) {
    let level = 0;
    let width = 1;
    while (width * 2 <= end - at) {
      width *= 2;
      level += 1;
    }
    places.push({ level, index: at / width });
    at += width;
  }
  return places;
}

/** Whether a tree of `size` leaves has a stored hash at this place. */
export function isInTree({ level, index }: Place, size: number): boolean {
  return isCount(level) && level <= 53 && isCount(index) && index < Math.floor(size / 2 ** level);
}

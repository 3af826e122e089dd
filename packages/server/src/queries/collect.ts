import { MAX_ITEM_CHARACTERS } from '@countersign/contract';
import type { QueryContext } from '../pipeline/query.ts';

/** Limits of a list. It ends before the item that would exceed `characters`, but always includes its first item. */
export interface Bounds {
  readonly items: number;
  readonly characters: number;
}

export const unbounded: Bounds = { items: Number.POSITIVE_INFINITY, characters: Number.POSITIVE_INFINITY };

/** Shortens an item of more than `MAX_ITEM_CHARACTERS`. */
export type Shorten<S> = (item: S) => S;

export interface Collected<S> {
  readonly items: S[];
  /** Whether an item was omitted because of the character limit. */
  readonly isCut: boolean;
}

/**
 * Collects the items of a list, rendered one at a time: other requests run in between, and the memory of the list is reserved as it grows.
 * SECURITY: D250: an organization controls the number and size of its items.
 */
export async function collect<S>(
  { endSlice }: Pick<QueryContext, 'endSlice'>,
  all: Iterable<S>,
  shorten: Shorten<S> = (item) => item,
  bounds: Bounds = unbounded,
): Promise<Collected<S>> {
  const items: S[] = [];
  let total = 0;
  for (const each of all) {
    const { item, length } = bounded(each, shorten);
    total += length;
    if (items.length > 0 && total > bounds.characters) return { items, isCut: true };
    items.push(item);
    if (items.length >= bounds.items) break;
    const pause = endSlice(length);
    if (pause !== undefined) await pause;
  }
  return { items, isCut: false };
}

function bounded<S>(item: S, shorten: Shorten<S>): { readonly item: S; readonly length: number } {
  const { length } = JSON.stringify(item);
  if (length <= MAX_ITEM_CHARACTERS) return { item, length };
  const shortened = shorten(item);
  return { item: shortened, length: shortened === item ? length : JSON.stringify(shortened).length };
}

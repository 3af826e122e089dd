import { appendLeaves, emptyFrontier, type Frontier, type HashReader, leafHash, type Place } from '../../src/index.ts';
import { numberedLeaf } from './vectors.ts';

/** A log in memory: the stored hashes by level, and how many of them were read. */
export class MemoryLog implements HashReader {
  frontier: Frontier = emptyFrontier;
  reads = 0;
  private readonly levels: Uint8Array[][] = [];

  /** Appends leaves with this data, in batches of the given sizes (all at once if none is given). */
  append(data: readonly Uint8Array[], batch = data.length): this {
    for (let start = 0; start < data.length; start += batch) {
      const { frontier, completed } = appendLeaves(this.frontier, data.slice(start, start + batch).map(leafHash));
      this.frontier = frontier;
      for (const { level, index, hash } of completed) {
        this.levels[level] ??= [];
        const row = this.levels[level];
        if (row.length !== index) throw new Error(`hash ${index} of level ${level} came out of order`);
        row.push(hash);
      }
    }
    return this;
  }

  async read(places: readonly Place[]): Promise<readonly Uint8Array[]> {
    this.reads += places.length;
    return places.map(({ level, index }) => {
      const hash = this.levels[level]?.[index];
      if (hash === undefined) throw new Error(`there is no hash ${index} on level ${level}`);
      return hash;
    });
  }
}

let large: MemoryLog | undefined;

/** The log of 70,000 numbered leaves, the largest of the vectors. Made once. */
export function largeLog(): MemoryLog {
  large ??= new MemoryLog().append(Array.from({ length: 70_000 }, (_, index) => numberedLeaf(index)));
  return large;
}

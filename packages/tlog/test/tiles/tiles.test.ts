import { sha256 } from '@noble/hashes/sha2.js';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  makeTile,
  partialTiles,
  TILE_WIDTH,
  type Tile,
  TlogError,
  tilePath,
  tilesOfGrowth,
  tilesOfTree,
} from '../../src/index.ts';
import { largeLog } from '../support/memory-log.ts';
import { hex, readVectors } from '../support/vectors.ts';

interface Content {
  readonly path: string;
  readonly sha256: string;
}

const { trees, full } = readVectors<{
  trees: { size: number; root: string; full: Record<string, number>; partial: Content[] }[];
  full: Content[];
}>('tiles');

const contentOf = async (tile: Tile): Promise<Content> => ({
  path: tilePath(tile),
  sha256: hex(sha256(await makeTile(tile, largeLog()))),
});
const size = fc.oneof(fc.integer({ min: 0, max: 70_000 }), fc.constantFrom(255, 256, 257, 65_535, 65_536, 65_537, 65_792));

describe('conformance/log/tiles.json', () => {
  it.each(trees)('has the tiles of a tree of $size leaves', async (tree) => {
    const tiles = [...tilesOfTree(tree.size)];
    const counts: Record<string, number> = {};
    for (const { level, width } of tiles) if (width === TILE_WIDTH) counts[level] = (counts[level] ?? 0) + 1;
    expect(counts).toEqual(tree.full);
    const partial = tiles.filter(({ width }) => width < TILE_WIDTH);
    expect(partial).toEqual(partialTiles(tree.size));
    expect(await Promise.all(partial.map(contentOf))).toEqual(tree.partial);
  });

  it('has full tiles', async () => {
    const tiles = [...tilesOfTree(70_000)].filter((tile) => full.some(({ path }) => path === tilePath(tile)));
    expect(await Promise.all(tiles.map(contentOf))).toEqual(full);
  });
});

test('the example of the specification: a tree of 70,000 leaves', () => {
  const tiles = [...tilesOfTree(70_000)];
  const summary = (level: number) => tiles.filter((tile) => tile.level === level).map(({ width }) => width);
  expect(summary(0)).toEqual([...Array.from({ length: 273 }, () => 256), 112]);
  expect(summary(1)).toEqual([256, 17]);
  expect(summary(2)).toEqual([1]);
  expect(tiles).toHaveLength(274 + 2 + 1);
});

test('the tiles of a tree hold each hash of their level once, without gaps', () => {
  fc.assert(
    fc.property(size, (leaves) => {
      const held = new Map<number, number>();
      for (const { level, index, width } of tilesOfTree(leaves)) {
        expect(index * TILE_WIDTH).toBe(held.get(level) ?? 0);
        held.set(level, index * TILE_WIDTH + width);
      }
      const expected: [number, number][] = [];
      for (let level = 0, count = leaves; count > 0; level++, count = Math.floor(count / 256)) expected.push([level, count]);
      expect([...held]).toEqual(expected);
    }),
  );
});

test('a log that grows step by step writes every tile of its last tree, and never another width again', () => {
  fc.assert(
    fc.property(fc.array(size, { minLength: 1, maxLength: 6 }), (stops) => {
      const written = new Map<string, number>();
      let grown = 0;
      for (const stop of stops.toSorted((left, right) => left - right)) {
        for (const tile of tilesOfGrowth(grown, stop)) {
          const path = tilePath(tile);
          expect(written.has(path)).toBe(false);
          written.set(path, tile.width);
        }
        grown = stop;
      }
      for (const tile of tilesOfTree(grown)) expect(written.has(tilePath(tile))).toBe(true);
    }),
    { numRuns: 40 },
  );
});

test('what is no growth and no tile is refused', async () => {
  expect(() => [...tilesOfGrowth(2, 1)]).toThrow('smaller');
  expect(() => [...tilesOfTree(-1)]).toThrow(TlogError);
  expect(() => partialTiles(0.5)).toThrow(TlogError);
  await expect(makeTile({ level: 0, index: 0, width: 257 }, largeLog())).rejects.toThrow(TlogError);
  await expect(makeTile({ level: 0, index: 0, width: 2 }, { read: async () => [] })).rejects.toThrow('did not give 2 hashes');
});

test('the largest tree has tiles on seven levels', () => {
  expect(partialTiles(Number.MAX_SAFE_INTEGER).map(({ level, width }) => [level, width])).toEqual([
    [0, 255],
    [1, 255],
    [2, 255],
    [3, 255],
    [4, 255],
    [5, 255],
    [6, 31],
  ]);
});

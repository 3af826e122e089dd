import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  consistencyProof,
  emptyRoot,
  type FetchTiles,
  inclusionProof,
  makeTile,
  type Place,
  partialTiles,
  type Tile,
  TlogError,
  tilePath,
  treeRoot,
  verifiedTileReader,
} from '../../src/index.ts';
import { largeLog } from '../support/memory-log.ts';
import { flipped, hex } from '../support/vectors.ts';

const log = largeLog();
const fetchTrue: FetchTiles = (tiles) => Promise.all(tiles.map((tile) => makeTile(tile, log)));

/** Fetches true tiles, but passes each through `change`. */
const fetchChanged =
  (change: (bytes: Uint8Array, tile: Tile) => Uint8Array): FetchTiles =>
  async (tiles) => {
    const bytes = await fetchTrue(tiles);
    return tiles.map((tile, index) => change(bytes[index] as Uint8Array, tile));
  };

const sizes = fc.oneof(fc.integer({ min: 1, max: 70_000 }), fc.constantFrom(1, 255, 256, 257, 65_535, 65_536, 65_537, 70_000));

describe('a reader over true tiles', () => {
  test('gives every stored hash that it is asked for', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, fc.array(fc.tuple(fc.nat(16), fc.nat()), { minLength: 1, maxLength: 8 }), async (size, wanted) => {
        const places: Place[] = wanted.flatMap(([level, index]) => {
          const count = Math.floor(size / 2 ** level);
          return count > 0 ? [{ level, index: index % count }] : [];
        });
        const reader = verifiedTileReader(size, await treeRoot(size, log), fetchTrue);
        expect((await reader.read(places)).map(hex)).toEqual((await log.read(places)).map(hex));
      }),
      { numRuns: 60 },
    );
  });

  test('gives the proofs that stored hashes give', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, fc.nat(), async (size, seed) => {
        const index = seed % size;
        const reader = verifiedTileReader(size, await treeRoot(size, log), fetchTrue);
        expect((await inclusionProof(index, size, reader)).map(hex)).toEqual((await inclusionProof(index, size, log)).map(hex));
        const proof = await consistencyProof(index, size, reader);
        expect(proof.map(hex)).toEqual((await consistencyProof(index, size, log)).map(hex));
      }),
      { numRuns: 30 },
    );
  });

  test('fetches a few tiles, the right edge once', async () => {
    const fetched: string[][] = [];
    const fetchTiles: FetchTiles = (tiles) => {
      fetched.push(tiles.map(tilePath));
      return fetchTrue(tiles);
    };
    const reader = verifiedTileReader(70_000, await treeRoot(70_000, log), fetchTiles);
    await inclusionProof(300, 70_000, reader);
    await reader.read([{ level: 0, index: 69_999 }]);
    expect(fetched).toEqual([partialTiles(70_000).map(tilePath), ['tile/1/000', 'tile/0/001']]);
  });

  test('an empty tree has a root and no hash', async () => {
    const reader = verifiedTileReader(0, emptyRoot(), fetchTrue);
    expect(await reader.read([])).toEqual([]);
    await expect(reader.read([{ level: 0, index: 0 }])).rejects.toThrow('has no hash 0 on level 0');
    await expect(verifiedTileReader(0, flipped(emptyRoot(), 0), fetchTrue).read([])).rejects.toThrow(TlogError);
  });
});

describe('a reader over tiles that someone changed', () => {
  const size = 66_000;
  const needed = ['tile/0/001', 'tile/1/000', ...partialTiles(size).map(tilePath)];

  test('refuses a changed bit anywhere in any tile that it reads', async () => {
    const root = await treeRoot(size, log);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...needed), fc.nat(), fc.nat(7), async (path, byte, bit) => {
        const fetchTiles = fetchChanged((bytes, tile) =>
          tilePath(tile) === path ? flipped(bytes, byte % bytes.length, bit) : bytes,
        );
        await expect(inclusionProof(300, size, verifiedTileReader(size, root, fetchTiles))).rejects.toThrow(TlogError);
      }),
      { numRuns: 60 },
    );
  });

  test.each([
    { name: 'a hash missing', change: (bytes: Uint8Array) => bytes.slice(32) },
    { name: 'a byte missing', change: (bytes: Uint8Array) => bytes.slice(1) },
    { name: 'a byte more', change: (bytes: Uint8Array) => Uint8Array.of(...bytes, 0) },
    { name: 'nothing', change: () => new Uint8Array() },
    { name: 'no bytes at all', change: () => undefined as unknown as Uint8Array },
  ])('refuses tiles with $name', async ({ change }) => {
    const reader = verifiedTileReader(size, await treeRoot(size, log), fetchChanged(change));
    await expect(reader.read([{ level: 0, index: 300 }])).rejects.toThrow(/must have [0-9]+ bytes/);
  });

  test('refuses another number of tiles, and tiles in another order', async () => {
    const root = await treeRoot(size, log);
    const fewer: FetchTiles = async (tiles) => (await fetchTrue(tiles)).slice(1);
    await expect(verifiedTileReader(size, root, fewer).read([{ level: 0, index: 0 }])).rejects.toThrow('tiles were given');
    const swapped: FetchTiles = async (tiles) => (await fetchTrue(tiles)).toReversed();
    await expect(verifiedTileReader(size, root, swapped).read([{ level: 0, index: 0 }])).rejects.toThrow(TlogError);
  });

  test('refuses the tiles of another size under the root of this one', async () => {
    const reader = verifiedTileReader(size - 1, await treeRoot(size, log), fetchTrue);
    await expect(reader.read([{ level: 0, index: 0 }])).rejects.toThrow('do not have the root');
  });

  test('keeps its own copy: bytes that change after the check do no harm', async () => {
    const given: Uint8Array[] = [];
    const fetchTiles: FetchTiles = async (tiles) => {
      const bytes = await fetchTrue(tiles);
      given.push(...bytes);
      return bytes;
    };
    const reader = verifiedTileReader(200, await treeRoot(200, log), fetchTiles);
    const [before] = await reader.read([{ level: 0, index: 7 }]);
    for (const bytes of given) bytes.fill(0);
    expect(await reader.read([{ level: 0, index: 7 }])).toEqual([before]);
  });

  test('a failed fetch does not stay: the next read asks again', async () => {
    let attempts = 0;
    const fetchTiles: FetchTiles = async (tiles) => {
      attempts += 1;
      if (attempts === 1) throw new Error('the network is down');
      return fetchTrue(tiles);
    };
    const reader = verifiedTileReader(200, await treeRoot(200, log), fetchTiles);
    await expect(reader.read([{ level: 0, index: 7 }])).rejects.toThrow('the network is down');
    expect(await reader.read([{ level: 0, index: 7 }])).toHaveLength(1);
  });
});

test.each([
  { level: 0, index: 200 },
  { level: 7, index: 1 },
  { level: 8, index: 0 },
  { level: 54, index: 0 },
  { level: -1, index: 0 },
  { level: 0, index: -1 },
  { level: 0, index: 0.5 },
])('a tree of 200 leaves has no hash at $level, $index', async (place) => {
  const reader = verifiedTileReader(200, await treeRoot(200, log), fetchTrue);
  await expect(reader.read([place])).rejects.toThrow(TlogError);
});

test('a root of another length and a size that is no count are refused at once', () => {
  expect(() => verifiedTileReader(1, new Uint8Array(31), fetchTrue)).toThrow(TlogError);
  expect(() => verifiedTileReader(-1, emptyRoot(), fetchTrue)).toThrow(TlogError);
});

import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { type EntryBundle, parseTilePath, type Tile, TlogError, tilePath } from '../../src/index.ts';
import { readVectors } from '../support/vectors.ts';

const { paths, refusedPaths } = readVectors<{ paths: ((Tile | EntryBundle) & { path: string })[]; refusedPaths: string[] }>(
  'tiles',
);

const tile: fc.Arbitrary<Tile | EntryBundle> = fc.record({
  level: fc.oneof(fc.integer({ min: 0, max: 63 }), fc.constant('entries' as const)),
  index: fc.oneof(fc.maxSafeNat(), fc.nat(5_000_000)),
  width: fc.integer({ min: 1, max: 256 }),
}) as fc.Arbitrary<Tile | EntryBundle>;

describe('conformance/log/tiles.json', () => {
  it('has paths that are written and read back', () => {
    expect(paths).toHaveLength(135);
    for (const { path, ...each } of paths) {
      expect(tilePath(each)).toBe(path);
      expect(parseTilePath(path)).toEqual(each);
    }
  });

  it.each(refusedPaths.map((path) => ({ path })))('refuses the path $path', ({ path }) => {
    expect(() => parseTilePath(path)).toThrow(TlogError);
  });
});

test('the example of the specification: index 1234067 is x001/x234/067', () => {
  expect(tilePath({ level: 0, index: 1_234_067, width: 256 })).toBe('tile/0/x001/x234/067');
  expect(tilePath({ level: 'entries', index: 1_234_067, width: 7 })).toBe('tile/entries/x001/x234/067.p/7');
});

test('every tile is read back from its path', () => {
  fc.assert(
    fc.property(tile, (each) => {
      expect(parseTilePath(tilePath(each))).toEqual(each);
    }),
  );
});

test('a path that is accepted is the path of its tile; any other text is a TlogError', () => {
  const changed = fc.tuple(tile, fc.nat(), fc.constantFrom('', '/', 'x', '0', '.p/1', '\n', '-')).map(([each, at, insert]) => {
    const path = tilePath(each);
    const place = at % path.length;
    return path.slice(0, place) + insert + path.slice(place + (at % 2));
  });
  fc.assert(
    fc.property(fc.oneof(changed, fc.string()), (path) => {
      let read: Tile | EntryBundle;
      try {
        read = parseTilePath(path);
      } catch (error) {
        expect(error).toBeInstanceOf(TlogError);
        return;
      }
      expect(tilePath(read)).toBe(path);
    }),
    { numRuns: 500 },
  );
});

test.each([
  { level: -1, index: 0, width: 1 },
  { level: 64, index: 0, width: 1 },
  { level: 0.5, index: 0, width: 1 },
  { level: 0, index: -1, width: 1 },
  { level: 0, index: 2 ** 53, width: 1 },
  { level: 0, index: 0, width: 0 },
  { level: 0, index: 0, width: 257 },
])('no path for level $level, index $index, width $width', (each) => {
  expect(() => tilePath(each)).toThrow(TlogError);
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { indexedBy } from '../src/derived.ts';
import { PersistentMap } from '../src/persistent-map.ts';
import { finished, sortedInSteps } from '../src/steps.ts';

type Step = readonly ['with', string, number] | readonly ['without', string];

const key = fc.oneof(
  fc.string({ maxLength: 2 }),
  fc.integer({ min: 0, max: 40 }).map((n) => `k${n}`),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.constant('with' as const), key, fc.integer({ min: 0, max: 5 })),
  fc.tuple(fc.constant('without' as const), key),
);
const steps = fc.array(step, { maxLength: 200 });

const sorted = (map: ReadonlyMap<string, number>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));

function apply(map: PersistentMap<number>, [op, at, value]: Step): PersistentMap<number> {
  return op === 'with' ? map.with(at, value as number) : map.without(at);
}

function applyToMap(map: Map<string, number>, [op, at, value]: Step): void {
  if (op === 'with') map.set(at, value as number);
  else map.delete(at);
}

describe('a persistent map', () => {
  test('says what a Map says, in the order of keys, and leaves every earlier version as it was', () => {
    fc.assert(
      fc.property(steps, (all) => {
        let persistent = PersistentMap.empty<number>();
        const plain = new Map<string, number>();
        const versions: [PersistentMap<number>, [string, number][]][] = [];
        for (const each of all) {
          persistent = apply(persistent, each);
          applyToMap(plain, each);
          versions.push([persistent, sorted(plain)]);
        }
        for (const [version, expected] of versions) {
          expect([...version]).toEqual(expected);
          expect(version.size).toBe(expected.length);
        }
        for (const [, at] of all) {
          expect(persistent.get(at)).toBe(plain.get(at));
          expect(persistent.has(at)).toBe(plain.has(at));
        }
        expect([...persistent.keys()]).toEqual(sorted(plain).map(([each]) => each));
        expect([...persistent.values()]).toEqual(sorted(plain).map(([, value]) => value));
        const visited: [string, number][] = [];
        persistent.forEach((value, at) => {
          visited.push([at, value]);
        });
        expect(visited).toEqual(sorted(plain));
      }),
    );
  });

  test('is the same when it is made part by part, in order or not', () => {
    const parts = fc.array(fc.array(fc.tuple(key, fc.integer()), { maxLength: 30 }), { maxLength: 8 });
    fc.assert(
      fc.property(parts, fc.boolean(), (all, ordered) => {
        const plain = new Map(all.flat());
        // If ordered, each key occurs once, as in the rows of a database.
        const given = ordered ? inParts(sorted(plain), 7) : all;
        const builder = PersistentMap.builder<number>();
        for (const part of given)
          builder.add(
            part.map(([at]) => at),
            part.map(([, value]) => value),
          );
        const built = builder.finish();
        expect([...built]).toEqual(sorted(plain));
        expect([...built.with('k41', 1).without('k3')]).toEqual([...PersistentMap.from(plain).with('k41', 1).without('k3')]);
      }),
    );
  });

  test('stays shallow when it is made of many parts', () => {
    const builder = PersistentMap.builder<object>();
    const keys = Array.from({ length: 20_000 }, (_, at) => String(at).padStart(6, '0'));
    for (const part of inParts(keys, 9))
      builder.add(
        part,
        part.map(() => ({})),
      );
    expect(depthOf(builder.finish())).toBeLessThan(32);
  });

  test('begins after or before any key', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(key, fc.nat())), key, (entries, at) => {
        const map = PersistentMap.from(entries);
        const all = sorted(new Map(entries));
        expect([...map.ascending(at)]).toEqual(all.filter(([each]) => each > at));
        expect([...map.descending(at)]).toEqual(all.filter(([each]) => each < at).reverse());
        expect([...map.descending()]).toEqual([...all].reverse());
      }),
    );
  });

  test('names exactly the differences between any two versions', () => {
    fc.assert(
      fc.property(steps, steps, steps, (shared, left, right) => {
        const base = shared.reduce(apply, PersistentMap.empty<number>());
        const [older, newer] = [left.reduce(apply, base), right.reduce(apply, base)];
        const expected = [...new Set([...older.keys(), ...newer.keys()])]
          .sort()
          .filter((at) => older.get(at) !== newer.get(at))
          .map((at) => ({
            key: at,
            ...(older.has(at) && { before: older.get(at) }),
            ...(newer.has(at) && { after: newer.get(at) }),
          }));
        expect(newer.differencesFrom(older)).toEqual(expected);
      }),
    );
  });

  test('is the same object after a change that changes nothing', () => {
    const map = PersistentMap.from([
      ['a', 1],
      ['b', 2],
    ]);
    expect(map.with('a', 1)).toBe(map);
    expect(map.without('c')).toBe(map);
  });

  test('stays shallow, whatever the order in which keys come', () => {
    const orders = {
      ascending: (n: number) => n,
      descending: (n: number) => 100_000 - n,
      scattered: (n: number) => (n * 48_271) % 65_537,
    };
    for (const order of Object.values(orders)) {
      let map = PersistentMap.empty<object>();
      const counted = (n: number) => String(order(n)).padStart(8, '0');
      for (let n = 0; n < 20_000; n++) map = map.with(counted(n), {});
      expect(depthOf(map)).toBeLessThan(32);
    }
  });

  test('keys that do not ascend are refused where they must', () => {
    const entries = [
      ['b', 1],
      ['a', 2],
    ] as const;
    expect(() => PersistentMap.fromAscending(entries)).toThrow('keys must ascend');
    expect([...PersistentMap.fromAscending([...entries].reverse())]).toEqual([...entries].reverse());
  });
});

function inParts<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size));
}

/** The number of comparisons for the deepest key, counted by a key that compares itself. */
function depthOf(map: PersistentMap<object>): number {
  let deepest = 0;
  for (const wanted of map.keys()) {
    let count = 0;
    const counting = {
      toString: () => wanted,
      [Symbol.toPrimitive]: () => {
        count++;
        return wanted;
      },
    };
    map.get(counting as unknown as string);
    deepest = Math.max(deepest, count);
    if (deepest > 64) break;
  }
  return deepest;
}

describe('an index of a persistent map', () => {
  const textsOf = (value: number) => [`mod3=${value % 3}`, ...(value > 2 ? ['large'] : [])];
  const show = (index: ReadonlyMap<string, ReadonlyMap<string, number>>) => [...index].map(([text, group]) => [text, [...group]]);

  test('that followed every change, or missed some, equals one that is made afresh', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(step, fc.boolean()), { maxLength: 100 }), (all) => {
        const indexOf = indexedBy(textsOf);
        let map = PersistentMap.empty<number>();
        for (const [each, isAsked] of all) {
          map = apply(map, each);
          if (isAsked) expect(show(indexOf(map))).toEqual(show(indexedBy(textsOf)(new Map(map))));
        }
        expect(show(indexOf(map))).toEqual(show(indexedBy(textsOf)(new Map(map))));
      }),
    );
  });

  test('that is made in steps is the same, and takes many short steps', () => {
    const map = PersistentMap.from(Array.from({ length: 5_000 }, (_, at) => [`k${(at * 7_919) % 5_000}`, at] as const));
    const byValue = indexedBy((value: number) => [`v${value}`, `mod3=${value % 3}`]);
    const work = byValue.inSteps(map);
    let count = 0;
    while (work.next().done !== true) count++;
    expect(count).toBeGreaterThan(40);
    expect(show(byValue(map))).toEqual(show(indexedBy((value: number) => [`v${value}`, `mod3=${value % 3}`])(new Map(map))));
  });

  test('of a version that was put aside stays right', () => {
    fc.assert(
      fc.property(steps, steps, steps, (shared, left, right) => {
        const indexOf = indexedBy(textsOf);
        const base = shared.reduce(apply, PersistentMap.empty<number>());
        const versions = [base, left.reduce(apply, base), right.reduce(apply, base), left.reduce(apply, base)];
        for (const version of versions) expect(show(indexOf(version))).toEqual(show(indexedBy(textsOf)(new Map(version))));
      }),
    );
  });
});

describe('texts that are sorted in steps', () => {
  test('come in the order of their code units', () => {
    const texts = fc.array(fc.string({ unit: 'binary', maxLength: 3 }), { maxLength: 20 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 300 }), (some, times) => {
        const all = Array.from({ length: times }, (_, at) => some.map((text) => `${text}${(at * 31) % 300}`)).flat();
        expect(finished(sortedInSteps(all)).join('\n')).toBe([...all].sort().join('\n'));
      }),
      { numRuns: 20 },
    );
  });
});

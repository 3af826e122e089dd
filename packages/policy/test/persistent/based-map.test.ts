import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BasedMap } from '../../src/persistent/based-map.ts';

// The integer 5, the text '5' and what each is turned into are keys of their own.
const key = fc.constantFrom<string | bigint | boolean>('5', 5n, 'bigint 5', 'string 5', true, 'true', '', 'a', 'b');
const value = fc.integer({ min: 0, max: 5 });
const step = fc.oneof(
  fc.tuple(fc.constant('with' as const), key, value),
  fc.tuple(fc.constant('without' as const), key, fc.constant(0)),
);

test('a based map says what a Map says, and leaves its table and every earlier version as they were', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(key, value)), fc.array(step, { maxLength: 30 }), (base, steps) => {
      const plain = new Map(base);
      let map = BasedMap.over<string | bigint | boolean, number>(new Map(base));
      const versions = [[map, new Map(plain)] as const];
      for (const [op, at, put] of steps) {
        map = op === 'with' ? map.with(at, put) : map.without(at);
        if (op === 'with') plain.set(at, put);
        else plain.delete(at);
        versions.push([map, new Map(plain)]);
      }
      for (const [version, wanted] of versions) {
        expect(version.size).toBe(wanted.size);
        for (const at of ['5', 5n, 'bigint 5', 'string 5', true, 'true', '', 'a', 'b', 'none'])
          expect(version.get(at)).toBe(wanted.get(at));
      }
    }),
  );
});

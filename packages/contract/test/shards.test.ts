import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_SHARD, shardIn, withShard } from '../src/index.ts';

const id = '01981b2c-7d3e-7f40-8a51-6b2c3d4e5f60';

describe('the shard in an id', () => {
  test('is the number that the id was made with', () => {
    fc.assert(
      fc.property(fc.uuid({ version: 7 }), fc.integer({ min: 1, max: MAX_SHARD }), (uuid, shard) => {
        const made = withShard(uuid, shard);
        expect(shardIn(made)).toBe(shard);
        expect(shardIn(made.toUpperCase())).toBe(shard);
        expect(made.slice(0, 28)).toBe(uuid.slice(0, 28));
      }),
    );
  });

  test('has this form', () => {
    expect(withShard(id, 3)).toBe('01981b2c-7d3e-7f40-8a51-6b2c0003ff09');
    expect(withShard(id, MAX_SHARD)).toMatch(/^01981b2c-7d3e-7f40-8a51-6b2cffff/);
  });

  test('is absent from other ids', () => {
    expect(shardIn(id)).toBeUndefined();
    for (const text of ['', 'not an id', `${withShard(id, 3)} `, withShard(id, 3).replaceAll('-', '')])
      expect(shardIn(text)).toBeUndefined();
  });

  test('no other digit of the id can change', () => {
    const made = withShard(id, 3);
    const others = [...made].flatMap((digit, at) =>
      digit === '-' ? [] : [`${made.slice(0, at)}${digit === '0' ? '1' : '0'}${made.slice(at + 1)}`],
    );
    expect(others.filter((other) => other !== made && shardIn(other) !== undefined)).toEqual([]);
  });

  test.each([0, -1, 1.5, MAX_SHARD + 1])('%s is no number of a shard in an id', (shard) => {
    expect(() => withShard(id, shard)).toThrow(RangeError);
  });
});

import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { isLong, writeInSteps } from '../../src/wire/write-in-steps.ts';
import { WrittenJson } from '../../src/wire/written-json.ts';
import { textOf } from './said-by.ts';

/** What is written, and the characters of the longest step. */
function written(value: unknown): { readonly text: string; readonly steps: number; readonly longest: number } {
  const steps = writeInSteps(value);
  for (let count = 1; ; count++) {
    const { done, value: made } = steps.next();
    if (done !== true) continue;
    return { text: textOf(made), steps: count, longest: Math.max(0, ...made.parts.map(({ length }) => length)) };
  }
}

/** Values some of whose texts are long: a part is repeated so often that steps end within it. */
const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, tie('leaf'), fc.array(tie('value')), fc.dictionary(fc.string(), tie('value'))),
  leaf: fc.oneof(
    fc.jsonValue({ maxDepth: 1 }),
    fc
      .tuple(fc.string({ unit: 'binary', minLength: 1, maxLength: 5 }), fc.nat(20_000))
      .map(([part, times]) => part.repeat(times)),
    fc.constant(undefined),
  ),
}));

describe('D252: long answers are written in steps', () => {
  test('as JSON.stringify gives them, whatever they are', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const plain = { value, list: [value, value] };
        expect(written(plain).text).toBe(JSON.stringify(plain));
      }),
      { numRuns: 40 },
    );
  });

  test('pairs of surrogates at the end of a step, and halves of them', () => {
    for (const ahead of [65_533, 65_534, 65_535, 65_536, 65_537])
      for (const tail of ['😀'.repeat(70_000), '\ud83d', '\ude00', '\ud83d\ud83d\ude00', '"\\\n\u2028']) {
        const text = 'x'.repeat(ahead) + tail;
        expect(written([text]).text === JSON.stringify([text])).toBe(true);
      }
  });

  test('with parts that are written already, at any depth', () => {
    const part = new WrittenJson([Buffer.from('{"a":'), Buffer.from('1}')]);
    expect(written({ x: part, y: [part, { z: part, none: undefined }] }).text).toBe('{"x":{"a":1},"y":[{"a":1},{"z":{"a":1}}]}');
  });

  test('lists of any length, with items that are long, missing or not there at all', () => {
    const [wide, part] = [Array(2_001).fill(1), 'x'.repeat(70_000)];
    for (const length of [0, 1, 99, 100, 101, 199, 200, 201])
      for (const at of [0, 99, 100, length - 1]) {
        const list: unknown[] = Array(length);
        if (at >= 0 && at < length) list[at] = part;
        if (length > 1) list[1] = undefined;
        const value = { wide, list, lists: [list, wide, []] };
        expect(written(value).text === JSON.stringify(value)).toBe(true);
      }
  });

  test('many short values are written together: one by one, a step of them would take tens of milliseconds', () => {
    const stringify = vi.spyOn(JSON, 'stringify');
    try {
      written({ payloads: Array(100_000).fill('ab') });
      expect(stringify.mock.calls.length).toBeLessThan(2_000);
    } finally {
      stringify.mockRestore();
    }
  });

  test('no step writes much more than another', () => {
    const many = { keys: Array.from({ length: 5_000 }, (_, index) => ({ index, name: `Key ${index}`, list: [index] })) };
    const one = { intent: { payloads: Array.from({ length: 300 }, () => 'ab'.repeat(2_000)) }, message: '"'.repeat(1_000_000) };
    for (const value of [many, one]) {
      const { text, steps, longest } = written(value);
      expect(text === JSON.stringify(value)).toBe(true);
      // The most that one character comes to is an escape of six.
      expect(longest).toBeLessThanOrEqual(65_536 * 7);
      expect(steps).toBeGreaterThan(text.length / (65_536 * 7));
    }
  });

  test('short ones are told from long ones by characters and by values', () => {
    expect([isLong({}), isLong('x'.repeat(65_536)), isLong(Array(1_999).fill(1))]).toEqual([false, false, false]);
    expect([isLong(['x'.repeat(65_537)]), isLong({ a: Array(2_000).fill(1) })]).toEqual([true, true]);
    expect(isLong({ a: [new WrittenJson([])] })).toBe(true);
  });
});

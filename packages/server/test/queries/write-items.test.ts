import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSlices } from '../../src/admission/cooperative.ts';
import { toList, writeAll, writeItems } from '../../src/queries/write-items.ts';
import { textOf } from '../wire/said-by.ts';

const unbounded = Number.POSITIVE_INFINITY;

describe('items of a list', () => {
  test('are written as JSON.stringify writes them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue(), { maxLength: 20 }), async (items) => {
        expect(textOf(await writeAll(createSlices('org'), items))).toBe(JSON.stringify(items));
      }),
    );
    // More than one part, with characters of one to four bytes.
    const long = Array.from({ length: 500 }, (_, at) => ({ at, text: 'aü€😀'.repeat(at) }));
    expect(textOf(await writeAll(createSlices('org'), long))).toBe(JSON.stringify(long));
    expect(textOf(await toList(createSlices('org'), []))).toBe('[]');
  });

  test('end with the bounds, but not before the first', async () => {
    const five = ['a', 'b', 'c', 'd', 'e'];
    const bounded = async (items: number, characters: number) => {
      const { texts, isCut } = await writeItems(createSlices('org'), five, { items, characters });
      expect(texts).toEqual(five.slice(0, texts.length).map((item) => JSON.stringify(item)));
      return [texts.length, isCut];
    };
    expect(await bounded(5, unbounded)).toEqual([5, false]);
    expect(await bounded(3, unbounded)).toEqual([3, false]);
    expect(await bounded(unbounded, 15)).toEqual([5, false]);
    expect(await bounded(unbounded, 14)).toEqual([4, true]);
    expect(await bounded(2, 6)).toEqual([2, false]);
    expect(await bounded(unbounded, 0)).toEqual([1, true]);
  });

  test('each is made when the one before it is written', async () => {
    let made = 0;
    function* endless() {
      for (;;) yield made++;
    }
    await writeItems(createSlices('org'), endless(), { items: 3, characters: unbounded });
    expect(made).toBe(3);
  });
});

import { MAX_UNPAGED } from '@countersign/contract';
import { PersistentMap } from '@countersign/policy';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listRecords } from '../../src/queries/page.ts';

const idOf = (number: number) => String(number).padStart(6, '0');
const mapOf = (count: number, text = '') =>
  PersistentMap.from(Array.from({ length: count }, (_, number) => [idOf(number), text] as const));
const showId = (id: string) => id;

describe('lists of records', () => {
  test('whole, they come oldest first; in pages newest first, and every item once', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 20 }), (count, limit) => {
        const all = mapOf(count);
        const ids = [...all.keys()];
        expect(listRecords(all, undefined, showId)).toEqual(ids);
        const walked: string[] = [];
        for (;;) {
          const after = walked.at(-1);
          const page = listRecords(all, { limit: String(limit), ...(after !== undefined && { after }) }, showId);
          if (page.length === 0) break;
          walked.push(...page);
        }
        expect(walked).toEqual(ids.toReversed());
      }),
    );
  });

  test('cursors: a page is next to `before` where it stands alone, and next to `after` otherwise', () => {
    const all = mapOf(10);
    expect(listRecords(all, { limit: '2', before: idOf(4) }, showId)).toEqual([idOf(6), idOf(5)]);
    expect(listRecords(all, { limit: '2', before: idOf(4), after: idOf(9) }, showId)).toEqual([idOf(8), idOf(7)]);
    expect(listRecords(all, { limit: '9', before: idOf(4), after: idOf(7) }, showId)).toEqual([idOf(6), idOf(5)]);
    expect(listRecords(all, {}, showId)).toHaveLength(10);
  });

  test('D157: a page ends where its items are large, and goes on from there', () => {
    const all = mapOf(5, 'x'.repeat(600_000));
    const show = (id: string, text: string) => ({ id, text });
    expect(listRecords(all, { limit: '100' }, show).map(({ id }) => id)).toEqual([idOf(4)]);
    expect(listRecords(all, { limit: '100', after: idOf(4) }, show).map(({ id }) => id)).toEqual([idOf(3)]);
    expect(listRecords(all, { limit: '100', before: idOf(1) }, show).map(({ id }) => id)).toEqual([idOf(2)]);
  });

  test('D157: a list that is too long is not given whole, and the refusal says what to send', () => {
    expect(listRecords(mapOf(MAX_UNPAGED), undefined, showId)).toHaveLength(MAX_UNPAGED);
    const tooLong = mapOf(MAX_UNPAGED + 1);
    expect(() => listRecords(tooLong, undefined, showId)).toThrow(/Send paginationOptions/);
    expect(listRecords(tooLong, { limit: '100' }, showId)).toHaveLength(100);
  });
});

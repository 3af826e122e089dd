import { PersistentMap } from '@countersign/collections';
import { MAX_UNPAGED, MAX_UNPAGED_CHARACTERS } from '@countersign/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSlices } from '../../src/admission/cooperative.ts';
import { listRecords, pageOf } from '../../src/queries/page.ts';
import { turnsDuring } from '../admission/turns-during.ts';
import { saidBy } from '../wire/said-by.ts';

const idOf = (number: number) => String(number).padStart(6, '0');
const mapOf = (count: number, text = '') =>
  PersistentMap.from(Array.from({ length: count }, (_, number) => [idOf(number), text] as const));
const showId = (id: string) => id;
const showAll = (id: string, text: string) => ({ id, text });

type Options = Parameters<typeof listRecords>[2];
const list = async <S>(all: PersistentMap<string>, options: Options, show: (id: string, text: string) => S) =>
  saidBy(await listRecords(createSlices('org'), all, options, show));

describe('lists of records', () => {
  test('whole, they come oldest first; in pages newest first, and every item once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 20 }), async (count, limit) => {
        const all = mapOf(count);
        const ids = [...all.keys()];
        expect(await list(all, undefined, showId)).toEqual(ids);
        const walked: string[] = [];
        for (;;) {
          const after = walked.at(-1);
          const page = await list(all, { limit: String(limit), ...(after !== undefined && { after }) }, showId);
          if (page.length === 0) break;
          walked.push(...page);
        }
        expect(walked).toEqual(ids.toReversed());
      }),
    );
  });

  test('cursors: a page is next to `before` where it stands alone, and next to `after` otherwise', async () => {
    const all = mapOf(10);
    expect(await list(all, { limit: '2', before: idOf(4) }, showId)).toEqual([idOf(6), idOf(5)]);
    expect(await list(all, { limit: '2', before: idOf(4), after: idOf(9) }, showId)).toEqual([idOf(8), idOf(7)]);
    expect(await list(all, { limit: '9', before: idOf(4), after: idOf(7) }, showId)).toEqual([idOf(6), idOf(5)]);
    expect(await list(all, {}, showId)).toHaveLength(10);
    expect((await pageOf(createSlices('org'), all, { limit: '2', before: idOf(4) }, showId)).items).toEqual([idOf(6), idOf(5)]);
  });

  test('items that are not shown take no place', async () => {
    const odd = (id: string) => (Number(id) % 2 === 1 ? id : undefined);
    expect(await list(mapOf(6), undefined, odd)).toEqual([idOf(1), idOf(3), idOf(5)]);
    expect(await list(mapOf(6), { limit: '2' }, odd)).toEqual([idOf(5), idOf(3)]);
  });

  test('what is not of the organization ends a whole list alone', async () => {
    const whole = await listRecords(createSlices('org'), mapOf(2), undefined, showId, ['x', 'y']);
    expect(saidBy(whole)).toEqual([idOf(0), idOf(1), 'x', 'y']);
    expect(saidBy(await listRecords(createSlices('org'), mapOf(0), undefined, showId, ['x']))).toEqual(['x']);
    expect(saidBy(await listRecords(createSlices('org'), mapOf(2), { limit: '9' }, showId, ['x']))).toEqual([idOf(1), idOf(0)]);
  });

  test('D157: a page ends where its items are large, and goes on from there', async () => {
    const all = mapOf(5, 'x'.repeat(600_000));
    const ids = async (options: Options) => (await list(all, options, showAll)).map(({ id }) => id);
    expect(await ids({ limit: '100' })).toEqual([idOf(4)]);
    expect(await ids({ limit: '100', after: idOf(4) })).toEqual([idOf(3)]);
    expect(await ids({ limit: '100', before: idOf(1) })).toEqual([idOf(2)]);
    const { items, texts } = await pageOf(createSlices('org'), all, { limit: '100', before: idOf(1) }, showAll);
    expect([items.map(({ id }) => id), texts.length]).toEqual([[idOf(2)], 1]);
  });

  test('D157: a list that is too long is not given whole, and the refusal says what to send', async () => {
    expect(await list(mapOf(MAX_UNPAGED), undefined, showId)).toHaveLength(MAX_UNPAGED);
    const tooLong = mapOf(MAX_UNPAGED + 1);
    await expect(list(tooLong, undefined, showId)).rejects.toThrow(/Send paginationOptions/);
    expect(await list(tooLong, { limit: '100' }, showId)).toHaveLength(100);
  });

  test('D250: nor is one that is too large, and to ask again costs nothing', async () => {
    const text = 'x'.repeat(MAX_UNPAGED_CHARACTERS / 4);
    const [fits, tooLarge] = [mapOf(3, text), mapOf(4, text)];
    expect(await list(fits, undefined, showAll)).toHaveLength(3);
    let shown = 0;
    const count = (id: string, of: string) => {
      shown += 1;
      return showAll(id, of);
    };
    await expect(list(tooLarge, undefined, count)).rejects.toThrow(/8,388,608 characters.*Send paginationOptions/);
    expect(shown).toBe(4);
    await expect(list(tooLarge, undefined, count)).rejects.toThrow(/8,388,608 characters/);
    expect(shown).toBe(4);
    // A change makes other records of it.
    expect(await list(tooLarge.without(idOf(3)), undefined, count)).toHaveLength(3);
  });

  test('D250: others have turns while a large one is written', async () => {
    const all = mapOf(64, 'ü"'.repeat(25_000));
    expect(await turnsDuring(() => listRecords(createSlices('org'), all, undefined, showAll))).toBeGreaterThan(3);
  });
});

import { PersistentMap } from '@countersign/collections';
import { MAX_UNPAGED_CHARACTERS } from '@countersign/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSlices } from '../../src/admission/cooperative.ts';
import { listRecords, pageOf } from '../../src/queries/page.ts';
import { turnsDuring } from '../admission/turns-during.ts';

const idOf = (number: number) => String(number).padStart(6, '0');
const mapOf = (count: number, text = '') =>
  PersistentMap.from(Array.from({ length: count }, (_, number) => [idOf(number), text] as const));
const showId = (id: string) => id;
const showAll = (id: string, text: string) => ({ id, text });

type Options = Parameters<typeof listRecords>[2];
const steps = () => ({ endSlice: createSlices('org'), reserve() {} });
const list = <S>(all: PersistentMap<string>, options: Options, show: (id: string, text: string) => S) =>
  listRecords(steps(), all, options, show);

describe('lists of records', () => {
  test('a whole list is oldest first, pages are newest first, and each item appears once', async () => {
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

  test('a page is adjacent to `before` if given alone, and to `after` otherwise', async () => {
    const all = mapOf(10);
    expect(await list(all, { limit: '2', before: idOf(4) }, showId)).toEqual([idOf(6), idOf(5)]);
    expect(await list(all, { limit: '2', before: idOf(4), after: idOf(9) }, showId)).toEqual([idOf(8), idOf(7)]);
    expect(await list(all, { limit: '9', before: idOf(4), after: idOf(7) }, showId)).toEqual([idOf(6), idOf(5)]);
    expect(await list(all, {}, showId)).toHaveLength(10);
    expect(await pageOf(steps(), all, { limit: '2', before: idOf(4) }, showId)).toEqual([idOf(6), idOf(5)]);
  });

  test('hidden items do not count towards the page size', async () => {
    const odd = (id: string) => (Number(id) % 2 === 1 ? id : undefined);
    expect(await list(mapOf(6), undefined, odd)).toEqual([idOf(1), idOf(3), idOf(5)]);
    expect(await list(mapOf(6), { limit: '2' }, odd)).toEqual([idOf(5), idOf(3)]);
  });

  test('items from outside the organization end a whole list, and are not in pages', async () => {
    const listed = (count: number, options: Options, others: readonly string[]) =>
      listRecords(steps(), mapOf(count), options, showId, { others });
    expect(await listed(2, undefined, ['x', 'y'])).toEqual([idOf(0), idOf(1), 'x', 'y']);
    expect(await listed(0, undefined, ['x'])).toEqual(['x']);
    expect(await listed(2, { limit: '9' }, ['x'])).toEqual([idOf(1), idOf(0)]);
  });

  test('D157: a page has as many items as it may, and large ones are shortened', async () => {
    const all = mapOf(120, 'x'.repeat(40_000));
    const shorten = ({ id }: { id: string }) => ({ id, text: '' });
    const page = (options: Options) => listRecords(steps(), all, options, showAll, { shorten });
    const ids = (from: number, to: number) =>
      Array.from({ length: from - to }, (_, at) => ({ id: idOf(from - 1 - at), text: '' }));
    expect(await page({ limit: '100' })).toEqual(ids(120, 20));
    expect(await page({ limit: '100', after: idOf(20) })).toEqual(ids(20, 0));
    expect(await page({ limit: '100', before: idOf(4) })).toEqual(ids(105, 5));
    // A short item stays as it is.
    expect(await listRecords(steps(), mapOf(1, 'x'), undefined, showAll, { shorten })).toEqual([{ id: idOf(0), text: 'x' }]);
  });

  test('D157: a whole list may have any number of items', async () => {
    expect(await list(mapOf(20_000), undefined, showId)).toHaveLength(20_000);
  });

  test('D250: a list that is too large is rejected, with the way to page it', async () => {
    const text = 'x'.repeat(MAX_UNPAGED_CHARACTERS / 4);
    expect(await list(mapOf(3, text), undefined, showAll)).toHaveLength(3);
    await expect(list(mapOf(4, text), undefined, showAll)).rejects.toThrow(/8,388,608 characters.*Send paginationOptions/);
    expect(await list(mapOf(4, text), { limit: '100' }, showAll)).toHaveLength(4);
  });

  test('D250: a list with too many items is rejected before any of them is rendered', async () => {
    const show = () => expect.unreachable('rendered');
    await expect(list(mapOf(Math.ceil(MAX_UNPAGED_CHARACTERS / 100)), undefined, show)).rejects.toThrow(/8,388,608 characters/);
    const reserve = (bytes: number) => {
      throw new Error(`no memory for ${bytes} bytes`);
    };
    await expect(listRecords({ ...steps(), reserve }, mapOf(2_000), undefined, show)).rejects.toThrow(
      'no memory for 200000 bytes',
    );
  });

  test('D250: counts each item, and lets other requests run while a large list is built', async () => {
    const all = mapOf(64, 'ü"'.repeat(25_000));
    let counted = 0;
    const slices = createSlices('org');
    const endSlice = (characters = 0) => {
      counted += characters;
      return slices();
    };
    let items: unknown;
    const turns = await turnsDuring(async () => {
      items = await listRecords({ ...steps(), endSlice }, all, undefined, showAll);
    });
    expect(turns).toBeGreaterThan(3);
    // Without the brackets and commas of the list.
    expect(counted).toBe(JSON.stringify(items).length - 65);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSlices } from '../../../src/admission/cooperative.ts';
import { pageWithin } from '../../../src/organizations/activities/page-within.ts';
import type { Page } from '../../../src/store/store.ts';

interface Row {
  readonly id: string;
  readonly body: string;
}

/** A list, newest first, as the store pages it. */
function readerOf(rows: readonly Row[]) {
  return async ({ limit, before, after }: Page) => {
    const within = rows.filter(({ id }) => (before === undefined || id > before) && (after === undefined || id < after));
    return before !== undefined && after === undefined ? within.slice(-limit) : within.slice(0, limit);
  };
}

const rowsOf = (sizes: readonly number[]): Row[] =>
  sizes.map((size, index) => ({ id: String(index).padStart(4, '0'), body: 'x'.repeat(size) })).reverse();

describe('a page that is bounded by its text', () => {
  test('walking on from the last item gives every item once, and no page is larger than allowed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 80 }),
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 0, max: 120 }),
        fc.boolean(),
        async (sizes, limit, most, upwards) => {
          const rows = rowsOf(sizes);
          const read = readerOf(rows);
          const walked: string[] = [];
          for (;;) {
            const edge = upwards ? (walked[0] ?? '') : walked.at(-1);
            const cursor = edge === undefined ? {} : upwards ? { before: edge } : { after: edge };
            const page = await pageWithin(createSlices('a'), most, { limit, ...cursor }, read);
            if (page.length === 0) break;
            const text = page.reduce((sum, { body }) => sum + body.length, 0);
            expect(page.length === 1 || text <= most).toBe(true);
            expect(page.length).toBeLessThanOrEqual(limit);
            if (upwards) walked.unshift(...page.map(({ id }) => id));
            else walked.push(...page.map(({ id }) => id));
          }
          expect(walked).toEqual(rows.map(({ id }) => id));
        },
      ),
    );
  });

  test('between two cursors it begins next to the newer one', async () => {
    const rows = rowsOf([1, 1, 1, 1, 1, 1]);
    const page = await pageWithin(createSlices('a'), 2, { limit: 5, before: '0000', after: '0005' }, readerOf(rows));
    expect(page.map(({ id }) => id)).toEqual(['0004', '0003']);
  });
});

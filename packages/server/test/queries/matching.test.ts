import { describe, expect, test } from 'vitest';
import { matchingPage } from '../../src/queries/matching.ts';

const COUNT = 12_000;
/** Newest first. */
const all = Array.from({ length: COUNT }, (_, at) => ({ id: String(COUNT - at).padStart(6, '0') }));
const read = async ({ limit, after }: { limit: number; after?: string }) =>
  all.filter(({ id }) => after === undefined || id < after).slice(0, limit);
const steps = { endSlice: async () => {} };

describe('a search of a long list', () => {
  test('says where it continues if it stopped without a full page, until the list ends', async () => {
    const wanted = '000003';
    const found: string[] = [];
    const cursors: (string | undefined)[] = [];
    for (let after: string | undefined; ; ) {
      const page = await matchingPage(
        steps,
        { limit: 5, ...(after !== undefined && { after }) },
        read,
        ({ id }) => id === wanted,
      );
      found.push(...page.found.map(({ id }) => id));
      cursors.push(page.next);
      after = page.next;
      if (after === undefined) break;
    }
    expect(found).toEqual([wanted]);
    expect(cursors).toEqual(['007001', '002001', undefined]);
  });

  test('a full page names no place: the last item does', async () => {
    const { found, next } = await matchingPage(steps, { limit: 2 }, read, () => true);
    expect(found).toEqual(all.slice(0, 2));
    expect(next).toBeUndefined();
  });
});

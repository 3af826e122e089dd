import fc from 'fast-check';
import { uuidv7 } from 'uuidv7';
import { describe, expect, test } from 'vitest';
import type { ActivityRow } from '../../../src/store/rows.ts';
import type { ActivityFilter, Page } from '../../../src/store/store.ts';
import { activityRow, commitOf, createOrganization, lookupRow, put, resourceRow } from '../rows.ts';
import type { Subject } from './describe-store.ts';

const types = ['ACTIVITY_TYPE_A', 'ACTIVITY_TYPE_B', 'ACTIVITY_TYPE_C'];
const statuses = ['CREATED', 'PENDING', 'CONSENSUS_NEEDED', 'COMPLETED', 'FAILED', 'REJECTED'].map(
  (name) => `ACTIVITY_STATUS_${name}`,
);

/** The model of a page that both engines are compared with. */
function model<T>(items: readonly T[], idOf: (item: T) => string, { limit, before, after }: Page): readonly T[] {
  const newestFirst = items.toSorted((a, b) => (idOf(a) < idOf(b) ? 1 : -1));
  const within = newestFirst.filter(
    (item) => (after === undefined || idOf(item) < after) && (before === undefined || idOf(item) > before),
  );
  return before !== undefined && after === undefined ? within.slice(-limit) : within.slice(0, limit);
}

function anyPage(ids: readonly string[]): fc.Arbitrary<Page> {
  const cursor = fc.constantFrom(...ids, '', '0', 'zzzz', uuidv7());
  const record = fc.record(
    { limit: fc.integer({ min: 1, max: ids.length + 2 }), before: cursor, after: cursor },
    { requiredKeys: ['limit'] },
  );
  return record;
}

const anyFilter: fc.Arbitrary<ActivityFilter> = fc.record(
  {
    statuses: fc.array(fc.constantFrom(...statuses, 'ACTIVITY_STATUS_NONE', "x' OR 1=1 --"), { maxLength: 4 }),
    types: fc.array(fc.constantFrom(...types, 'ACTIVITY_TYPE_NONE', "x' OR 1=1 --"), { maxLength: 4 }),
  },
  { requiredKeys: [] },
);

function matches({ statuses: wanted = [], types: kinds = [] }: ActivityFilter, row: ActivityRow): boolean {
  return (wanted.length === 0 || wanted.includes(row.status)) && (kinds.length === 0 || kinds.includes(row.type));
}

/** Cursors, filters and their combination. */
export function pagingSuite(subject: () => Subject): void {
  async function fill(count: number): Promise<{ readonly organizationId: string; readonly rows: readonly ActivityRow[] }> {
    const { store } = subject();
    const organizationId = await createOrganization(store);
    const [first] = await store.activities.page(organizationId, {}, { limit: 1 });
    const rows = Array.from({ length: count }, (_, index) =>
      activityRow(organizationId, { type: types[(index * 7) % 3] as string, status: statuses[(index * 5) % 6] as string }),
    );
    // Not in the order of their ids: two nodes commit independently.
    await store.commit(
      [...rows.slice(count / 2), ...rows.slice(0, count / 2)].map((activity) => commitOf(organizationId, { activity })),
    );
    return { organizationId, rows: [first as ActivityRow, ...rows] };
  }

  describe('paging', () => {
    test('D58: any page of activities, filtered or not, is nearest to its cursors and newest first', async () => {
      const { store } = subject();
      const { organizationId, rows } = await fill(40);
      const page = anyPage(rows.map(({ id }) => id));
      await fc.assert(
        fc.asyncProperty(anyFilter, page, async (filter, one) => {
          const expected = model(
            rows.filter((row) => matches(filter, row)),
            (row) => row.id,
            one,
          );
          expect(await store.activities.page(organizationId, filter, one)).toStrictEqual(expected);
        }),
      );
    });

    test('D58: the same holds for resources and lookups', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const resources = Array.from({ length: 9 }, () => resourceRow(organizationId));
      const lookups = Array.from({ length: 9 }, () => lookupRow(organizationId));
      await store.commit([commitOf(organizationId, { writes: [...resources.map(put.resource), ...lookups.map(put.lookup)] })]);
      const byId = (row: { readonly id: string }) => row.id;
      await fc.assert(
        fc.asyncProperty(anyPage(resources.map(byId)), anyPage(lookups.map(byId)), async (resourcePage, lookupPage) => {
          const read = store.resources.page(organizationId, 'wallet', resourcePage);
          expect(await read).toStrictEqual(model(resources, byId, resourcePage));
          const found = store.lookups.find(organizationId, 'email', 'a@example.com', lookupPage);
          expect(await found).toStrictEqual(model(lookups, byId, lookupPage));
        }),
        { numRuns: 30 },
      );
    });

    test('D58: paging on while activities arrive shows each old one once', async () => {
      const { store } = subject();
      const { organizationId, rows } = await fill(30);
      const page = async (one: Page) => {
        const found = await store.activities.page(organizationId, {}, one);
        await store.commit([commitOf(organizationId), commitOf(organizationId)]);
        return found;
      };
      expect(await walk(page, 7)).toEqual(rows.map(({ id }) => id).toReversed());
    });

    test.each([7, 100])('D58: every list of 250 items is walked whole in pages of %i, both ways', async (limit) => {
      const { store } = subject();
      const { organizationId, rows } = await fill(248);
      const accounts = Array.from({ length: 250 }, (_, index) =>
        resourceRow(organizationId, { kind: 'walletAccount', parentId: index % 5 === 0 ? 'other' : 'wallet' }),
      );
      const lookups = Array.from({ length: 250 }, () => lookupRow(organizationId));
      const writes = [...accounts.map(put.resource), ...lookups.map(put.lookup)];
      const commit = commitOf(organizationId, { writes });
      expect(await store.commit([commit])).toEqual([{ taken: true }]);
      const activities = [...rows, commit.activity];
      const ofWallet = accounts.filter(({ parentId }) => parentId === 'wallet');
      const filter = { types: types.slice(0, 2), statuses: statuses.slice(0, 4) };
      const listings: readonly (readonly [Read, readonly { readonly id: string }[]])[] = [
        [(page) => store.activities.page(organizationId, {}, page), activities],
        [(page) => store.activities.page(organizationId, filter, page), activities.filter((row) => matches(filter, row))],
        [(page) => store.resources.page(organizationId, 'walletAccount', page), accounts],
        [(page) => store.resources.page(organizationId, 'walletAccount', page, 'wallet'), ofWallet],
        [(page) => store.lookups.find(organizationId, 'email', 'a@example.com', page), lookups],
      ];
      for (const [page, items] of listings) {
        const inOrder = items.map(({ id }) => id).toReversed();
        expect(await walk(page, limit)).toEqual(inOrder);
        expect(await walkBack(page, limit)).toEqual(inOrder);
      }
    });

    test('D58: a limit below 1 is refused and does not mean "all"', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      for (const limit of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
        await expect(store.activities.page(organizationId, {}, { limit })).rejects.toThrow(RangeError);
        await expect(store.resources.page(organizationId, 'wallet', { limit })).rejects.toThrow(RangeError);
        await expect(store.organizations.scan('', limit)).rejects.toThrow(RangeError);
      }
    });

    test('a filter over a hundred types works', async () => {
      const { store } = subject();
      const { organizationId, rows } = await fill(12);
      const wanted = [...types, ...Array.from({ length: 120 }, (_, index) => `ACTIVITY_TYPE_${index}`)];
      const expected = rows.filter(({ type }) => types.includes(type)).toReversed();
      expect(await store.activities.page(organizationId, { types: wanted, statuses }, { limit: 100 })).toStrictEqual(expected);
    });
  });
}

type Read = (page: Page) => Promise<readonly { readonly id: string }[]>;

/** The usual loop: after the last item comes the next page. */
async function walk(page: Read, limit: number): Promise<readonly string[]> {
  const seen: string[] = [];
  for (;;) {
    const after = seen.at(-1);
    const rows = await page(after === undefined ? { limit } : { limit, after });
    seen.push(...rows.map(({ id }) => id));
    if (rows.length < limit) return seen;
  }
}

/** From the end, which lies before no id at all, to the beginning. */
async function walkBack(page: Read, limit: number): Promise<readonly string[]> {
  const seen: string[] = [];
  for (;;) {
    const rows = await page({ limit, before: seen.at(0) ?? '' });
    seen.unshift(...rows.map(({ id }) => id));
    if (rows.length < limit) return seen;
  }
}

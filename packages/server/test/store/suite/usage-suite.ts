import { uuidv7 } from 'uuidv7';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { UsagePointRow } from '../../../src/store/rows.ts';
import type { CommitOutcome, Store } from '../../../src/store/store.ts';
import type { UsageClaim } from '../../../src/store/usage-store.ts';
import { type ActivityCommit, activityRow, bytes, commitOf, createOrganization, head, put, recordRow } from '../rows.ts';
import type { Subject } from './describe-store.ts';

const taken = { taken: true };
const usageMoved = { taken: false, reason: 'USAGE_MOVED' };
export const bucket = 'control/0/all';

/** The point after another, or the first of a bucket. */
function pointAfter(
  previous: UsagePointRow | undefined,
  fields: Partial<UsagePointRow> & { organizationId: string },
): UsagePointRow {
  return {
    bucket,
    revision: (previous?.revision ?? 0) + 1,
    atMs: (previous?.atMs ?? 1_000) + 10,
    total: String(BigInt(previous?.total ?? 0) + 5n * 10n ** 18n),
    activityId: uuidv7(),
    previous: previous?.mac ?? new Uint8Array(),
    mac: bytes(),
    ...fields,
  };
}

/** A commit that counts one point. */
export function counting(
  organizationId: string,
  previous: UsagePointRow | undefined,
  fields: Partial<ActivityCommit> = {},
  point: Partial<UsagePointRow> = {},
) {
  const activity = fields.activity ?? activityRow(organizationId);
  const next = pointAfter(previous, { organizationId, ...point, activityId: activity.id });
  const claim: UsageClaim = { organizationId, bucket: next.bucket, expected: previous, next };
  return { next, commit: commitOf(organizationId, { ...fields, activity, usage: [claim] }) };
}

/** Commits that each count on the one before. */
function chain(organizationId: string, length: number, first?: UsagePointRow) {
  const made: ReturnType<typeof counting>[] = [];
  for (let index = 0; index < length; index++) made.push(counting(organizationId, made.at(-1)?.next ?? first));
  return made;
}

const pointsOf = (store: Store, organizationId: string, name = bucket) =>
  store.usage.after({ organizationId, bucket: name }, 0, 10_000);

/** Counts go with the activity that they are of, on the newest point and on no other. */
export function usageSuite(subject: () => Subject): void {
  describe('usage', () => {
    let stores: readonly [Store, Store];

    beforeAll(async () => {
      stores = [subject().store, await subject().installation.open()];
    });
    afterAll(() => stores[1].close());

    test('a batch of commits that build on each other is taken, and every field comes back', async () => {
      const [store] = stores;
      const organizationId = await createOrganization(store);
      const made = chain(organizationId, 40);
      expect(await store.commit(made.map(({ commit }) => commit))).toEqual(made.map(() => taken));
      expect(await pointsOf(store, organizationId)).toStrictEqual(made.map(({ next }) => next));
      expect(await store.usage.newest([{ organizationId, bucket }])).toStrictEqual([made.at(-1)?.next]);
      expect(await store.activities.page(organizationId, {}, { limit: 100 })).toHaveLength(41);
    });

    test.each(['an older point', 'a point with another MAC', 'a point that nobody stored', 'no point'])(
      'a commit that expects %s is refused and leaves nothing',
      async (what) => {
        const [store] = stores;
        const organizationId = await createOrganization(store);
        const [one, two] = chain(organizationId, 2) as [ReturnType<typeof counting>, ReturnType<typeof counting>];
        await store.commit([one.commit, two.commit]);
        const expected = {
          'an older point': one.next,
          'a point with another MAC': { ...two.next, mac: bytes() },
          'a point that nobody stored': pointAfter(two.next, { organizationId }),
          'no point': undefined,
        }[what];
        const { commit } = counting(organizationId, expected);
        expect(await store.commit([commit])).toEqual([usageMoved]);
        expect(await pointsOf(store, organizationId)).toHaveLength(2);
        expect(await store.activities.get(organizationId, commit.activity.id)).toBeUndefined();
      },
    );

    test('whoever only looked is refused as well, and counts nothing when taken', async () => {
      const [store] = stores;
      const organizationId = await createOrganization(store);
      const { commit, next } = counting(organizationId, undefined);
      const looks = (expected: UsagePointRow | undefined) =>
        commitOf(organizationId, { usage: [{ organizationId, bucket, expected }] });
      expect(await store.commit([looks(undefined), commit, looks(next), looks(undefined)])).toEqual([
        taken,
        taken,
        taken,
        usageMoved,
      ]);
      expect(await store.commit([looks(undefined), looks(next)])).toEqual([usageMoved, taken]);
      expect(await pointsOf(store, organizationId)).toHaveLength(1);
    });

    test('where one of a chain is refused, those that build on it are, and those that do not are taken', async () => {
      const [store] = stores;
      const organizationId = await createOrganization(store);
      const known = activityRow(organizationId);
      await store.commit([commitOf(organizationId, { activity: known })]);
      const first = counting(organizationId, undefined);
      const repeated = counting(organizationId, first.next, {
        activity: activityRow(organizationId, { fingerprint: known.fingerprint }),
      });
      const onIt = counting(organizationId, repeated.next);
      const beside = counting(organizationId, first.next);
      const stale = counting(organizationId, beside.next, { expected: head(7) });
      const elsewhere = counting(organizationId, undefined, {}, { bucket: 'other' });
      const plain = commitOf(organizationId);
      const batch = [first, repeated, onIt, beside, stale, elsewhere].map(({ commit }) => commit);
      expect(await store.commit([...batch, plain])).toEqual([
        taken,
        { taken: false, reason: 'FINGERPRINT_EXISTS', activityId: known.id },
        usageMoved,
        taken,
        { taken: false, reason: 'VERSION_MOVED' },
        taken,
        taken,
      ]);
      expect(await pointsOf(store, organizationId)).toStrictEqual([first.next, beside.next]);
      expect(await pointsOf(store, organizationId, 'other')).toStrictEqual([elsewhere.next]);
      expect(await store.usage.buckets(organizationId, '', 10)).toEqual([bucket, 'other']);
    });

    test('a commit that changes the organization counts too, and a row that the schema refuses takes only its own entry', async () => {
      const [store] = stores;
      const organizationId = await createOrganization(store);
      const writes = [put.record(recordRow(organizationId))];
      const first = counting(organizationId, undefined, { head: head(2), writes });
      const second = counting(organizationId, first.next, { expected: head(2) });
      const broken = counting(organizationId, second.next, {
        expected: head(2),
        activity: activityRow(organizationId, { status: 'NONSENSE' }),
      });
      const last = counting(organizationId, second.next, { expected: head(2) });
      const outcomes = await store.commit([first, second, broken, last].map(({ commit }) => commit));
      expect(outcomes).toMatchObject([taken, taken, { taken: false, reason: 'INVALID' }, taken]);
      expect(await pointsOf(store, organizationId)).toStrictEqual([first.next, second.next, last.next]);
    });

    test('an activity counts in several buckets, of its own organization and of the one that judged it, or in none', async () => {
      const [store] = stores;
      const parentId = await createOrganization(store);
      const organizationId = await createOrganization(store, [], uuidv7(), parentId);
      const activity = activityRow(organizationId);
      const claimOf = (id: string, name: string, expected?: UsagePointRow): UsageClaim => ({
        organizationId: id,
        bucket: name,
        expected,
        next: pointAfter(expected, {
          organizationId: id,
          bucket: name,
          activityId: id === organizationId ? activity.id : `${organizationId}/${activity.id}`,
        }),
      });
      const alsoExpect = { organizationId: parentId, ...head(1) };
      const usage = [claimOf(organizationId, 'a'), claimOf(parentId, 'b')];
      const refused = [claimOf(organizationId, 'a'), claimOf(parentId, 'b', pointAfter(undefined, { organizationId: parentId }))];
      expect(await store.commit([commitOf(organizationId, { activity, usage: refused, alsoExpect })])).toEqual([usageMoved]);
      expect(await pointsOf(store, organizationId, 'a')).toEqual([]);
      expect(await store.commit([commitOf(organizationId, { activity, usage, alsoExpect })])).toEqual([taken]);
      const newest = await store.usage.newest([
        { organizationId, bucket: 'a' },
        { organizationId: parentId, bucket: 'b' },
        { organizationId, bucket: 'none' },
      ]);
      expect(newest.map(({ bucket: name }) => name).toSorted()).toEqual(['a', 'b']);
    });

    test('a claim that breaks a rule by itself is a bug', async () => {
      const [store] = stores;
      const organizationId = await createOrganization(store);
      const activity = activityRow(organizationId);
      const next = pointAfter(undefined, { organizationId, activityId: activity.id });
      const claim: UsageClaim = { organizationId, bucket, expected: undefined, next };
      const broken: readonly (readonly UsageClaim[])[] = [
        [{ ...claim, organizationId: uuidv7() }],
        [claim, claim],
        [{ ...claim, next: { ...next, bucket: 'other' } }],
        [{ ...claim, next: { ...next, activityId: uuidv7() } }],
        [{ ...claim, next: { ...next, revision: 2 } }],
        [{ ...claim, next: { ...next, atMs: 0.5 } }],
        [{ ...claim, next: { ...next, total: '\ud800' } }],
      ];
      const outcomes = await store.commit(broken.map((usage) => commitOf(organizationId, { activity, usage })));
      expect(outcomes.map((outcome) => 'reason' in outcome && outcome.reason)).toEqual(broken.map(() => 'INVALID'));
      expect(await pointsOf(store, organizationId)).toEqual([]);
    });

    test('D132: of two stores that count on the same point exactly one is taken, sixty times', async () => {
      const organizationId = await createOrganization(stores[0]);
      let newest: UsagePointRow | undefined;
      for (let round = 0; round < 60; round++) {
        // Batches of different lengths, and every third one with a change of the organization's records.
        const chains = stores.map(() => chain(organizationId, 1 + (round % 3), newest));
        const outcomes = await Promise.all(
          chains.map((made, node) => stores[node as 0 | 1].commit(made.map(({ commit }) => commit))),
        );
        const won = outcomes.findIndex(([first]) => first?.taken === true);
        expect(outcomes[won]).toEqual(chains[won]?.map(() => taken));
        expect(outcomes[1 - won]).toEqual(chains[1 - won]?.map(() => usageMoved));
        newest = chains[won]?.at(-1)?.next;
      }
      const points = await pointsOf(stores[1], organizationId);
      expect(points.map(({ revision }) => revision)).toEqual(points.map((_, index) => index + 1));
    });

    test('D132: two stores that count in the same buckets in opposite order wait for each other and lose nothing', async () => {
      const organizationId = await createOrganization(stores[0]);
      const newest = new Map<string, UsagePointRow>();
      const tried = async (store: Store, names: readonly string[]): Promise<CommitOutcome | undefined> => {
        const activity = activityRow(organizationId);
        const usage = names.map((name) => {
          const expected = newest.get(name);
          const next = pointAfter(expected, { organizationId, bucket: name, activityId: activity.id });
          return { organizationId, bucket: name, expected, next };
        });
        const [outcome] = await store.commit([commitOf(organizationId, { activity, usage })]);
        if (outcome?.taken === true) for (const { next } of usage) newest.set(next.bucket, next);
        return outcome;
      };
      for (let round = 0; round < 30; round++) {
        const outcomes = await Promise.all([tried(stores[0], ['x', 'y', 'z']), tried(stores[1], ['z', 'y', 'x'])]);
        expect(outcomes.filter((outcome) => outcome?.taken)).toHaveLength(1);
        expect(outcomes).toContainEqual(usageMoved);
      }
      for (const name of ['x', 'y', 'z']) expect(await pointsOf(stores[0], organizationId, name)).toHaveLength(30);
    });

    test('the base of a window is the last point before it, and what follows comes in order', async () => {
      const [store] = stores;
      const organizationId = await createOrganization(store);
      const made: ReturnType<typeof counting>[] = [];
      for (const atMs of [1_000, 1_000, 1_000, 2_000, 3_000])
        made.push(counting(organizationId, made.at(-1)?.next, {}, { atMs }));
      await store.commit(made.map(({ commit }) => commit));
      const key = { organizationId, bucket };
      const before = async (atMs: number) => (await store.usage.lastBefore(key, atMs))?.revision;
      expect([await before(1_000), await before(1_001), await before(2_000), await before(3_001)]).toEqual([undefined, 3, 3, 5]);
      expect((await store.usage.after(key, 2, 2)).map(({ revision }) => revision)).toEqual([3, 4]);
      expect(await store.usage.after({ ...key, organizationId: uuidv7() }, 0, 5)).toEqual([]);
    });

    test('the base is found among any times that never go back, also after old points were swept', async () => {
      const [store] = stores;
      for (let round = 0; round < 5; round++) {
        const organizationId = await createOrganization(store);
        const made: ReturnType<typeof counting>[] = [];
        let atMs = 1_000;
        for (let count = 0; count < 10 + 7 * round; count++) {
          atMs += [0, 0, 1, 2, 50][Math.floor(Math.random() * 5)] as number;
          made.push(counting(organizationId, made.at(-1)?.next, {}, { atMs }));
        }
        await store.commit(made.map(({ commit }) => commit));
        const key = { organizationId, bucket };
        for (const swept of [0, 4]) {
          if (swept > 0) expect(await store.usage.sweep(key, swept + 1, swept)).toBe(swept);
          const left = made.map(({ next }) => next).filter(({ revision }) => revision > swept);
          for (const { atMs: time } of [...left, { atMs: 0 }, { atMs: atMs + 1 }])
            expect((await store.usage.lastBefore(key, time))?.revision, `before ${time} of ${left.map((one) => one.atMs)}`).toBe(
              left.findLast((one) => one.atMs < time)?.revision,
            );
        }
      }
    });

    test('old points are swept from the oldest on, a bounded number at a time, and never the given one', async () => {
      const [store] = stores;
      const organizationId = await createOrganization(store);
      const made = chain(organizationId, 10);
      await store.commit(made.map(({ commit }) => commit));
      const key = { organizationId, bucket };
      expect(await store.usage.sweep(key, 8, 4)).toBe(4);
      expect(await store.usage.sweep(key, 8, 4)).toBe(3);
      expect(await store.usage.sweep(key, 8, 4)).toBe(0);
      expect((await pointsOf(store, organizationId)).map(({ revision }) => revision)).toEqual([8, 9, 10]);
      const { commit } = counting(organizationId, made.at(-1)?.next);
      expect(await store.commit([commit])).toEqual([taken]);
    });
  });
}

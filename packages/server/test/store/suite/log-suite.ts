import { uuidv7 } from 'uuidv7';
import { describe, expect, test } from 'vitest';
import { copiedTables } from '../../../src/store/copied-tables.ts';
import type { LogStep } from '../../../src/store/log-store.ts';
import type { LogLeafRow, LogStateRow, QueuedLogEntry, Write } from '../../../src/store/rows.ts';
import type { Store } from '../../../src/store/store.ts';
import type { TableShape } from '../../../src/store/table.ts';
import { activityRow, bytes, commitOf, createOrganization, head, headRow, logEntryOf, put, recordRow } from '../rows.ts';
import type { Subject } from './describe-store.ts';

const ALL = 100_000;

/** Commits an activity with its log entry, and returns the entry. */
async function commitLogged(store: Store, organizationId: string, fields: Partial<ReturnType<typeof activityRow>> = {}) {
  const activity = activityRow(organizationId, fields);
  const logEntry = logEntryOf(activity);
  const [outcome] = await store.commit([commitOf(organizationId, { activity, logEntry })]);
  return { activity, logEntry, outcome };
}

async function queuedOf(store: Store, organizationId: string): Promise<readonly QueuedLogEntry[]> {
  return (await store.log.queued(ALL)).filter((entry) => entry.organizationId === organizationId);
}

/** The step that makes leaves of these entries, on the state that is stored now. The hashes mean nothing here. */
async function stepOf(store: Store, entries: readonly QueuedLogEntry[]): Promise<LogStep> {
  const before = await store.log.state();
  const size = (before?.size ?? 0) + entries.length;
  const state: LogStateRow = { name: 'log', size, root: bytes(), frontier: bytes(64), mapRoot: bytes(), mac: bytes() };
  const leaves = entries.map(({ organizationId, activityId, revision }, index): LogLeafRow => {
    const leafIndex = (before?.size ?? 0) + index;
    return { organizationId, activityId, revision, leafIndex, sequence: index + 1, opening: '{"a":1}', commitment: bytes(33) };
  });
  const organizationId = entries[0]?.organizationId ?? uuidv7();
  return {
    expected: before,
    state,
    leaves,
    tiles: [{ level: 0, tileIndex: 0, hashes: bytes(size * 32) }],
    heads: [{ organizationId, sequence: entries.length, leafHash: bytes(), headVersion: 3, headDigest: bytes() }],
    map: [{ prefix: organizationId, node: bytes(100) }],
    taken: entries.map(({ seq }) => seq),
  };
}

/** The log takes what commits queue, each entry once, and moves in whole steps. */
export function logSuite(subject: () => Subject): void {
  describe('log', () => {
    test('an entry waits if its activity was taken, and only then, in the order of commits', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const first = await commitLogged(store, organizationId, { status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED' });
      const repeated = await commitLogged(store, organizationId, { fingerprint: first.activity.fingerprint });
      expect(repeated.outcome).toMatchObject({ reason: 'FINGERPRINT_EXISTS' });
      const moved = activityRow(organizationId);
      const [refused] = await store.commit([
        commitOf(organizationId, { activity: moved, logEntry: logEntryOf(moved), expected: head(9) }),
      ]);
      expect(refused).toMatchObject({ reason: 'VERSION_MOVED' });
      const next = await commitLogged(store, organizationId, { ...first.activity, revision: 1 });
      const late = await commitLogged(store, organizationId, { ...first.activity, revision: 1 });
      expect(late.outcome).toMatchObject({ reason: 'REVISION_MOVED' });
      expect(await queuedOf(store, organizationId)).toMatchObject([first.logEntry, next.logEntry]);
    });

    test('leaves leave with their activity, and a span replaces the mark', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const { activity } = await commitLogged(store, organizationId);
      const { activity: later } = await commitLogged(store, organizationId);
      const { id: activityId, revision, fingerprint, mac: activityMac } = activity;
      const mark = { organizationId, activityId, revision, fingerprint, archive: 'b.jsonl', activityMac, mac: bytes() };
      const file = { name: 'b.jsonl', body: '{}', mac: bytes() };
      const step = await stepOf(store, await queuedOf(store, organizationId));
      expect(await store.log.integrate(step)).toBe('TAKEN');
      const [leaf, kept] = step.leaves as [LogLeafRow, LogLeafRow];
      const place = {
        firstSequence: leaf.sequence,
        lastSequence: leaf.sequence,
        firstLeaf: leaf.leafIndex,
        lastLeaf: leaf.leafIndex,
      };
      const ids = { firstId: activity.id, lastId: activity.id, archive: 'b.jsonl' };
      const span = { organizationId, ...ids, beforeMs: 1_000, ...place, activities: 1, leaves: 1, mac: bytes() };
      const absent = { ...leaf, leafIndex: leaf.leafIndex + 1_000 };
      expect(await store.archive.move(file, { marks: [mark], leaves: [absent], spans: [span] })).toBe(false);
      expect(await store.activities.get(organizationId, activity.id)).toEqual(activity);
      expect(await store.archive.move(file, { marks: [mark], leaves: [leaf], spans: [span] })).toBe(true);
      expect(await store.activities.get(organizationId, activity.id)).toBeUndefined();
      expect(await store.archive.get(organizationId, activity.id)).toBeUndefined();
      expect(await store.log.leafOf(organizationId, activity.id)).toBeUndefined();
      expect(await store.log.leavesOf(organizationId, 1, 10)).toEqual([kept]);
      expect(await store.log.leafCount(organizationId)).toBe(1);
      for (const found of [
        await store.archive.spans(organizationId, '', 10),
        await store.log.spansAround(organizationId, activity.id),
        await store.log.spansOf(organizationId, leaf.sequence, leaf.sequence + 1),
        await store.log.spansBetween(leaf.leafIndex, leaf.leafIndex + 1),
      ])
        expect(found).toEqual([span]);
      expect(await store.log.spansAround(organizationId, later.id)).toEqual([]);
      expect(await store.log.spansOf(organizationId, kept.sequence, kept.sequence + 1)).toEqual([]);
      expect(await store.log.spansBetween(kept.leafIndex, kept.leafIndex + 1)).toEqual([]);
    });

    test('entries of commits that write more than their activity wait in the same order', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const activities = Array.from({ length: 3 }, () => activityRow(organizationId));
      const [one, two, three] = activities.map((activity) => ({ activity, logEntry: logEntryOf(activity) }));
      await store.commit([
        commitOf(organizationId, { ...one, writes: [put.record(recordRow(organizationId))], head: head(2) }),
        commitOf(organizationId, { ...two, expected: head(2), head: head(3) }),
        commitOf(organizationId, { ...three, expected: head(3) }),
      ]);
      const waiting = await queuedOf(store, organizationId);
      expect(waiting.map(({ activityId }) => activityId)).toEqual(activities.map(({ id }) => id));
    });

    test('an entry of another activity is a bug', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const other = logEntryOf(activityRow(organizationId));
      expect(await store.commit([commitOf(organizationId, { logEntry: other })])).toMatchObject([{ reason: 'INVALID' }]);
      const [outcome] = await store.commit([{ organizationId, expected: head(1), head: head(2), writes: [], logEntry: other }]);
      expect(outcome).toMatchObject({ reason: 'INVALID' });
      expect(await queuedOf(store, organizationId)).toEqual([]);
    });

    test('a refused neighbour does not take the entries of others with it', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const good = activityRow(organizationId);
      const bad = activityRow(organizationId, { status: 'NO_STATUS' });
      const outcomes = await store.commit([
        commitOf(organizationId, { activity: bad, logEntry: logEntryOf(bad) }),
        commitOf(organizationId, { activity: good, logEntry: logEntryOf(good) }),
      ]);
      expect(outcomes).toMatchObject([{ reason: 'INVALID' }, { taken: true }]);
      expect(await queuedOf(store, organizationId)).toMatchObject([{ activityId: good.id }]);
    });

    test('a step stores everything, takes its entries out of the queue, and is not repeated', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      for (let count = 0; count < 3; count++) await commitLogged(store, organizationId);
      const step = await stepOf(store, await queuedOf(store, organizationId));
      expect(await store.log.integrate(step)).toBe('TAKEN');
      expect(await store.log.integrate(step)).toBe('MOVED');
      expect(await store.log.state()).toEqual(step.state);
      const first = step.leaves[0] as LogLeafRow;
      expect(await store.log.leaves(first.leafIndex, step.state.size)).toEqual(step.leaves);
      expect(await store.log.leavesOf(organizationId, 2, 1)).toEqual([step.leaves[1]]);
      expect(await store.log.leafOf(organizationId, first.activityId)).toEqual(first);
      expect(await store.log.leafOf(organizationId, first.activityId, 1)).toBeUndefined();
      expect(await store.log.leafOf(uuidv7(), first.activityId)).toBeUndefined();
      expect(await store.log.heads([organizationId, uuidv7()])).toEqual(step.heads);
      expect(await store.log.mapNodes(['', organizationId, uuidv7()])).toEqual(step.map);
      const missing = { level: 3, tileIndex: 7 };
      expect(await store.log.tiles([{ level: 0, tileIndex: 0 }, missing])).toEqual(step.tiles);
      expect(await queuedOf(store, organizationId)).toEqual([]);
    });

    test('of two steps on one state, one is taken', async () => {
      const { installation, store } = subject();
      const other = await installation.open();
      const organizationId = await createOrganization(store);
      await commitLogged(store, organizationId);
      const entries = await queuedOf(store, organizationId);
      const steps = [await stepOf(store, entries), await stepOf(other, entries)] as const;
      const outcomes = await Promise.all([store.log.integrate(steps[0]), other.log.integrate(steps[1])]);
      expect(outcomes.toSorted()).toEqual(['MOVED', 'TAKEN']);
      await other.close();
    });

    test('an entry that was put back, or that no longer waits, makes the whole step fail', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const { logEntry } = await commitLogged(store, organizationId);
      expect(await store.log.integrate(await stepOf(store, await queuedOf(store, organizationId)))).toBe('TAKEN');
      await store.log.enqueue(logEntry);
      await commitLogged(store, organizationId);
      const again = await queuedOf(store, organizationId);
      const before = await store.log.state();
      const doubled = await stepOf(store, again);
      expect(await store.log.integrate(doubled)).toBe('DOUBLED');
      const [, fresh] = again as [QueuedLogEntry, QueuedLogEntry];
      const gone = await stepOf(store, [fresh]);
      const sequences = { leaves: gone.leaves.map((leaf) => ({ ...leaf, sequence: 2 })) };
      expect(await store.log.integrate({ ...gone, ...sequences, taken: [fresh.seq, 2 ** 40] })).toBe('DOUBLED');
      expect(await store.log.integrate(gone)).toBe('DOUBLED');
      expect(await store.log.state()).toEqual(before);
      expect(await queuedOf(store, organizationId)).toEqual(again);
      expect(await store.log.integrate({ ...gone, ...sequences })).toBe('TAKEN');
      await store.log.refuse(again);
    });

    test('refused entries are kept apart, and only those that are meant', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      for (let count = 0; count < 2; count++) await commitLogged(store, organizationId);
      const [one, two] = (await queuedOf(store, organizationId)) as [QueuedLogEntry, QueuedLogEntry];
      const before = await store.log.refusedCount();
      await store.log.refuse([one, { ...two, mac: bytes() }]);
      expect(await store.log.refusedCount()).toBe(before + 1);
      expect(await queuedOf(store, organizationId)).toEqual([two]);
      await store.log.refuse([]);
    });

    test('refused entries are all kept, also those that had the same number one after the other', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const before = await store.log.refusedCount();
      for (let count = 1; count <= 3; count++) {
        await commitLogged(store, organizationId);
        await store.log.refuse(await queuedOf(store, organizationId));
        expect(await store.log.refusedCount()).toBe(before + count);
      }
    });

    test('a refused entry is kept also where an earlier one has its number, as in a copy from the other engine', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const seq = 2 ** 30;
      await store.maintain(async ({ put: putRows, renumber }) => {
        for (const name of ['log_queue', 'log_refused']) {
          const table = copiedTables.find((candidate) => candidate.name === name) as TableShape;
          await putRows({ table, rows: [[seq, organizationId, name, 0, 1, '{}', Buffer.alloc(32)]] });
        }
        await renumber();
      });
      const before = await store.log.refusedCount();
      const queued = await queuedOf(store, organizationId);
      expect(queued).toMatchObject([{ seq, activityId: 'log_queue' }]);
      await store.log.refuse(queued);
      expect(await queuedOf(store, organizationId)).toEqual([]);
      expect(await store.log.refusedCount()).toBe(before + 1);
    });

    test('a step takes no entry that came later under the number of one that it was made of', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      await commitLogged(store, organizationId);
      const step = await stepOf(store, await queuedOf(store, organizationId));
      expect(await store.log.integrate(step)).toBe('TAKEN');
      await commitLogged(store, organizationId);
      const later = await queuedOf(store, organizationId);
      expect(await store.log.integrate({ ...step, taken: later.map(({ seq }) => seq) })).toBe('MOVED');
      expect(await queuedOf(store, organizationId)).toEqual(later);
      await store.log.refuse(later);
    });

    test('nodes of the head map are replaced, and many are read at once', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      await commitLogged(store, organizationId);
      const step = await stepOf(store, await queuedOf(store, organizationId));
      const [node] = step.map;
      const others = Array.from({ length: 300 }, (_, index) => ({ prefix: `${organizationId}/${index}`, node: bytes(1) }));
      expect(await store.log.integrate({ ...step, map: [...step.map, ...others] })).toBe('TAKEN');
      expect(await store.log.mapNodes(others.map(({ prefix }) => prefix))).toHaveLength(300);
      await commitLogged(store, organizationId);
      const next = await stepOf(store, await queuedOf(store, organizationId));
      const leaves = next.leaves.map((leaf) => ({ ...leaf, sequence: 2 }));
      expect(await store.log.integrate({ ...next, leaves })).toBe('TAKEN');
      const [stored] = await store.log.mapNodes([organizationId]);
      expect(stored).toEqual(next.map[0]);
      expect(stored).not.toEqual(node);
    });

    test('rows and nodes are staged only while the log has the expected state', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      await commitLogged(store, organizationId);
      const step = await stepOf(store, await queuedOf(store, organizationId));
      expect(await store.log.integrate({ ...step, heads: [], map: [] })).toBe('TAKEN');
      const stale = { ...step, expected: { ...step.state, size: step.state.size - 1 } };
      expect(await store.log.stage(stale)).toBe(false);
      expect(await store.log.mapNodes([organizationId])).toEqual([]);
      expect(await store.log.stage({ ...step, expected: step.state })).toBe(true);
      expect(await store.log.mapNodes([organizationId])).toEqual(step.map);
      expect(await store.log.scanHeads('', ALL)).toContainEqual(step.heads[0]);
      expect(await store.organizations.heads('', ALL)).toContainEqual(await store.organizations.head(organizationId));
    });

    test('entries about an organization are found by its id, in their body too', async () => {
      const { store } = subject();
      const [organizationId, other] = [await createOrganization(store), await createOrganization(store)];
      const activity = activityRow(other);
      await commitLogged(store, other);
      const logEntry = { ...logEntryOf(activity), format: 2, body: `{"created":["${organizationId}"]}` };
      await store.commit([commitOf(other, { activity, logEntry })]);
      const own = await commitLogged(store, organizationId);
      expect(await store.log.queuedAbout(organizationId)).toMatchObject([logEntry, own.logEntry]);
      expect(await store.log.queuedAbout(uuidv7())).toEqual([]);
    });

    test('tombstones are kept for 4,096 versions, and swept by every 256th', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const other = await createOrganization(store);
      const tombstone = (id: string, version: number): Write => ({
        op: 'put',
        table: 'tombstones',
        row: { organizationId: id, version, kind: 'user', id: `${version}`, mac: new Uint8Array() },
      });
      const tombstones = async () => {
        const found: number[] = [];
        for await (const { table, rows } of store.copy.read())
          if (table.name === 'tombstones')
            for (const [id, version] of rows) if (id === organizationId) found.push(Number(version));
        return found.toSorted((a, b) => a - b);
      };
      const move = async (from: number, to: number, writes: readonly Write[]) => {
        const outcome = await store.commit([commitOf(organizationId, { expected: head(from), head: head(to), writes })]);
        expect(outcome).toEqual([{ taken: true }]);
      };
      await store.commit([commitOf(other, { head: head(2), writes: [tombstone(other, 2)] })]);
      await move(1, 2, [tombstone(organizationId, 2), tombstone(organizationId, 2)]);
      await move(2, 255, [tombstone(organizationId, 255)]);
      await move(255, 256, [tombstone(organizationId, 256)]);
      await move(256, 4_351, []);
      expect(await tombstones()).toEqual([2, 255, 256]);
      await move(4_351, 4_352, []);
      expect(await tombstones()).toEqual([256]);
    });

    test('an activity without an entry is found', async () => {
      const { store } = subject();
      const id = uuidv7();
      const activity = activityRow(id);
      const founded = commitOf(id, { activity, expected: head(0), writes: [put.head(headRow(id))] });
      await store.commit([founded]);
      expect(await store.log.hasUnlogged()).toBe(true);
    });
  });
}

import { describe, expect, test } from 'vitest';
import { createCommitter } from '../../src/pipeline/commit/committer.ts';
import type { Commit, CommitOutcome } from '../../src/store/store.ts';

function entry(id: string) {
  const activity = {
    organizationId: 'o',
    id,
    revision: 0,
    fingerprint: id,
    requestedAtMs: 0,
    type: 'T',
    status: 'ACTIVITY_STATUS_COMPLETED',
    body: '',
    mac: new Uint8Array(),
  };
  return { organizationId: 'o', expected: { version: 1, mac: new Uint8Array() }, activity, writes: [] };
}

/** A store that holds every batch until a test ends it. */
function heldStore() {
  const batches: { ids: string[]; end: (outcomes: CommitOutcome[] | Error) => void }[] = [];
  return {
    batches,
    commit: (batch: readonly Commit[]) =>
      new Promise<readonly CommitOutcome[]>((resolve, reject) => {
        batches.push({
          ids: batch.map(({ activity }) => activity?.id ?? ''),
          end: (outcomes) => (outcomes instanceof Error ? reject(outcomes) : resolve(outcomes)),
        });
      }),
  };
}

const taken: CommitOutcome = { taken: true };
const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe('the committer', () => {
  test('D257: rejects a commit that moves a head, or inserts an organization, without a log entry', async () => {
    const store = heldStore();
    const committer = createCommitter(store);
    const mac = new Uint8Array(32);
    const insert = {
      op: 'insert',
      table: 'organizations',
      row: { organizationId: 'n', parentId: 'o', version: 1, mac },
    } as const;
    const logEntry = { organizationId: 'o', activityId: 'a', revision: 0, format: 2, body: '', mac };
    const invalid = (detail: string) => ({ taken: false, reason: 'INVALID', detail });
    expect(await committer.commit({ ...entry('a'), head: { version: 2, mac } })).toEqual(
      invalid('the head moves without a log entry'),
    );
    expect(await committer.commit({ ...entry('a'), writes: [insert] })).toEqual(
      invalid('an organization is inserted without a log entry'),
    );
    expect(await committer.commit({ ...entry('a'), head: { version: 3, mac }, logEntry })).toEqual(
      invalid('the next version does not follow the expected one'),
    );
    const outcome = committer.commit({ ...entry('a'), head: { version: 2, mac }, logEntry });
    await turn();
    store.batches[0]?.end([taken]);
    expect(await outcome).toEqual(taken);
  });

  test('commits ready entries in one transaction, in order', async () => {
    const store = heldStore();
    const sizes: number[] = [];
    const committer = createCommitter(store, (size) => sizes.push(size));
    const results = ['a', 'b', 'c'].map((id) => committer.commit(entry(id)));
    await turn();
    expect(store.batches.map(({ ids }) => ids)).toEqual([['a', 'b', 'c']]);
    store.batches[0]?.end([taken, { taken: false, reason: 'VERSION_MOVED' }, taken]);
    expect(await Promise.all(results)).toEqual([taken, { taken: false, reason: 'VERSION_MOVED' }, taken]);
    expect(sizes).toEqual([3]);
  });

  test('splits large entries into smaller batches, and commits an oversized one alone', async () => {
    const store = heldStore();
    const committer = createCommitter(store);
    const weighing = (id: string, mebibytes: number): Commit => {
      const plain = entry(id);
      return { ...plain, activity: { ...plain.activity, body: 'x'.repeat(mebibytes * 1_048_576) } };
    };
    const results = [weighing('a', 3), weighing('b', 4), weighing('c', 3), weighing('d', 9), entry('e')].map((each) =>
      committer.commit(each),
    );
    for (const ids of [['a', 'b'], ['c'], ['d'], ['e']]) {
      await turn();
      const batch = store.batches.at(-1);
      expect(batch?.ids).toEqual(ids);
      batch?.end(ids.map(() => taken));
    }
    await Promise.all(results);
  });

  test('waits for commitReady, and takes every entry that is queued by then', async () => {
    const store = heldStore();
    let gather = () => {};
    const committer = createCommitter(store, undefined, () => new Promise((resolve) => (gather = resolve)));
    const first = committer.commit(entry('a'));
    await turn();
    const second = committer.commit(entry('b'));
    await turn();
    expect(store.batches).toEqual([]);
    gather();
    await turn();
    expect(store.batches.map(({ ids }) => ids)).toEqual([['a', 'b']]);
    store.batches[0]?.end([taken, taken]);
    await Promise.all([first, second]);
  });

  test('R3: runs one transaction at a time, and answers only after its transaction is durable', async () => {
    const store = heldStore();
    const committer = createCommitter(store);
    const answered: string[] = [];
    const send = (id: string) => committer.commit(entry(id)).then(() => answered.push(id));
    const first = send('a');
    await turn();
    const others = [send('b'), send('c')];
    await turn();
    expect(store.batches.map(({ ids }) => ids)).toEqual([['a']]);
    expect(answered).toEqual([]);
    store.batches[0]?.end([taken]);
    await first;
    await turn();
    expect(answered).toEqual(['a']);
    expect(store.batches.map(({ ids }) => ids)).toEqual([['a'], ['b', 'c']]);
    store.batches[1]?.end([taken, taken]);
    await Promise.all(others);
  });

  test('a failed transaction fails for all of its entries and no others', async () => {
    const store = heldStore();
    const committer = createCommitter(store);
    const lost = [committer.commit(entry('a')), committer.commit(entry('b'))].map((sent) =>
      sent.catch((error: Error) => error.message),
    );
    await turn();
    const next = committer.commit(entry('c'));
    store.batches[0]?.end(new Error('gone'));
    expect(await Promise.all(lost)).toEqual(['gone', 'gone']);
    await turn();
    store.batches[1]?.end([taken]);
    expect(await next).toEqual(taken);
  });

  test('splits a long queue into transactions of limited size', async () => {
    const batches: number[] = [];
    const commit = async (batch: readonly Commit[]) => {
      batches.push(batch.length);
      return batch.map(() => taken);
    };
    const committer = createCommitter({ commit });
    await Promise.all(Array.from({ length: 600 }, (_, index) => committer.commit(entry(String(index)))));
    expect(batches).toEqual([256, 256, 88]);
  });

  test('draining waits for all submitted entries', async () => {
    const store = heldStore();
    const committer = createCommitter(store);
    await committer.drain();
    const sent = committer.commit(entry('a'));
    let drained = false;
    const drain = committer.drain().then(() => {
      drained = true;
    });
    await turn();
    expect(drained).toBe(false);
    store.batches[0]?.end([taken]);
    await Promise.all([sent, drain]);
    expect(drained).toBe(true);
  });
});

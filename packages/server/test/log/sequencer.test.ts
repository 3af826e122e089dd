import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toSpan } from '../../src/organizations/activities/archived.ts';
import type { LogEntryRow } from '../../src/store/rows.ts';
import type { Store } from '../../src/store/store.ts';
import { archiveSpans } from '../../src/store/tables.ts';
import { entryBefore, entryOf, expectSound, headOf, integrateAll, integrity, openScene, type Scene } from './scene.ts';

/** A store whose calls fail as planned: before they do anything, or after they did it, as if the process had died there. */
function failing(log: Store['log'], plan: readonly ('no' | 'before' | 'after')[]): Store['log'] {
  let calls = 0;
  const wrap = <A extends unknown[], R>(call: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      const fate = plan[calls++] ?? 'no';
      if (fate === 'before') throw new Error('died before');
      const result = await call(...args);
      if (fate === 'after') throw new Error('died after');
      return result;
    };
  };
  const { noteSize, ...asking } = log;
  const wrapped = Object.entries(asking).map(([name, call]) => [name, wrap(call as never)]);
  // That one reaches no database.
  return { ...Object.fromEntries(wrapped), noteSize } as unknown as Store['log'];
}

/** Runs a process until its store fails it, as often as it can. */
async function runUntilDeath(scene: Scene, plan: readonly ('no' | 'before' | 'after')[]): Promise<void> {
  await integrateAll(scene.process(failing(scene.store.log, plan))).catch((error: Error) => {
    expect(error.message).toMatch(/^died/);
  });
}

test.each([true, false])('appends each entry once, in order (head map: %s)', async (withMap) => {
  const scene = await openScene({ withMap });
  for (let number = 0; number < 600; number++) await scene.queue(`org-${number % 3}`, `activity-${number}`);
  const one = scene.process();
  expect(await one.sequencer.integrate()).toMatchObject({ from: 0, more: true });
  await integrateAll(one);
  await expectSound(scene);
  expect(await one.sequencer.integrate()).toBeUndefined();
  expect(scene.alarms).toEqual([]);
});

test('every revision of an activity has a leaf, in order', async () => {
  const scene = await openScene();
  for (const revision of [0, 1, 2]) await scene.queue('org', 'activity', revision);
  await integrateAll(scene.process());
  await scene.queue('org', 'activity', 3);
  await integrateAll(scene.process());
  await expectSound(scene);
  expect((await scene.store.log.leafOf('org', 'activity'))?.revision).toBe(3);
});

test('D542: an entry whose leaf is in an archive file does not become a second leaf', async () => {
  const scene = await openScene();
  const ids = ['a', 'b', 'c', 'd'].map((name) => `activity-${name}`);
  const entries: LogEntryRow[] = [];
  for (const id of ids.slice(0, 3)) entries.push(await scene.queue('org', id));
  await integrateAll(scene.process());
  const leaves = await scene.store.log.leaves(1, 3);
  const span = toSpan(integrity, { name: 'x.jsonl.gz', beforeMs: 5_000 }, ids.slice(0, 3), leaves);
  await scene.store.maintain(({ put }) => put({ table: archiveSpans, rows: [archiveSpans.encode(span)] }));
  scene.execute('DELETE FROM log_leaves WHERE leaf_index IN (1, 2)');
  const later = scene.process(undefined, 1, 1_000 + 3 * 86_400_000);
  await scene.store.log.enqueue(entries[0] as LogEntryRow);
  await integrateAll(later);
  expect(scene.alarms).toEqual([expect.stringContaining('activity-a was changed, inserted or repeated outside the service')]);
  expect((await scene.store.log.state())?.size).toBe(4);
  // An activity that waited, whose id lies between archived ones, gets a leaf when it is approved.
  await scene.queue('org', 'activity-b', 1, { timeMs: 6_000 });
  await integrateAll(later);
  expect((await scene.store.log.state())?.size).toBe(5);
  expect(await scene.store.log.leafOf('org', 'activity-b')).toMatchObject({ revision: 1 });
});

test.each([true, false])('a crash before or after any call leaves no gap and no duplicate (head map: %s)', async (withMap) => {
  const fates = ['before', 'after'] as const;
  for (const fate of fates) {
    for (let call = 0; call < 12; call++) {
      const scene = await openScene({ withMap });
      await scene.queue('org', 'first');
      await integrateAll(scene.process());
      for (const id of ['a', 'b', 'c']) await scene.queue('org', id);
      await runUntilDeath(scene, [...Array.from({ length: call }, () => 'no' as const), fate]);
      await integrateAll(scene.process());
      await expectSound(scene);
      expect(scene.alarms).toEqual([]);
    }
  }
});

test.each([true, false])('any interleaving of commits, crashes and processes yields one log (head map: %s)', async (withMap) => {
  const fate = fc.constantFrom('no' as const, 'no' as const, 'no' as const, 'before' as const, 'after' as const);
  const action = fc.oneof(
    fc.record({ kind: fc.constant('queue' as const), organization: fc.nat(2), count: fc.integer({ min: 1, max: 40 }) }),
    fc.record({
      kind: fc.constant('run' as const),
      plans: fc.array(fc.array(fate, { maxLength: 12 }), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant('kept' as const), process: fc.nat(1) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 14 }), async (actions) => {
      const scene = await openScene({ withMap });
      const kept = [scene.process(), scene.process()];
      let number = 0;
      for (const each of actions) {
        if (each.kind === 'queue') {
          for (let at = 0; at < each.count; at++) await scene.queue(`org-${each.organization}`, `activity-${number++}`);
        } else if (each.kind === 'run') {
          await Promise.all(each.plans.map((plan) => runUntilDeath(scene, plan)));
        } else {
          await kept[each.process]?.sequencer.integrate();
        }
      }
      for (const process of kept) await integrateAll(process);
      await expectSound(scene);
      expect(scene.alarms).toEqual([]);
    }),
    { numRuns: 25 },
  );
});

test('the first leaf records whether activities predate the log', async () => {
  const scene = await openScene();
  await integrateAll(scene.process());
  const [first] = await scene.store.log.leaves(0, 1);
  expect(JSON.parse(first?.opening ?? '')).toMatchObject({ type: 'LOG_STARTED', status: 'FROM_THE_FIRST_ACTIVITY' });
});

test('two processes can create the log concurrently', async () => {
  const scene = await openScene();
  const { log } = scene.store;
  let looks = 0;
  // The other process is faster, right after this one has looked for a state.
  const state = async () => {
    const row = await log.state();
    if (++looks === 1) await integrateAll(scene.process());
    return row;
  };
  await integrateAll(scene.process({ ...log, state }));
  await expectSound(scene);
  const both = [scene.process(), scene.process()];
  await Promise.all(both.map(({ sequencer }) => sequencer.integrate()));
  await expectSound(scene);
});

test('D98: quarantines a forged or altered entry with an alarm, and appends the others', async () => {
  const scene = await openScene();
  await scene.queue('org', 'good');
  const forged = { ...entryOf('org', 'forged'), mac: new Uint8Array(32) };
  await scene.store.log.enqueue(forged);
  const moved = { ...entryOf('org', 'mine'), organizationId: 'other' };
  await scene.store.log.enqueue(moved);
  await scene.queue('org', 'better');
  await integrateAll(scene.process());
  await expectSound(scene);
  expect(await scene.store.log.refusedCount()).toBe(2);
  expect(scene.alarms).toHaveLength(2);
});

test('D98: a restored entry does not create a second leaf', async () => {
  const scene = await openScene();
  const entry = await scene.queue('org', 'activity');
  await scene.store.log.enqueue(entry);
  await integrateAll(scene.process());
  await expectSound(scene);
  await scene.store.log.enqueue(entry);
  await scene.queue('org', 'next');
  const process = scene.process();
  for (let count = 0; count < 3; count++) await process.sequencer.integrate();
  await expectSound(scene);
  expect(scene.alarms).toHaveLength(2);
  expect(await scene.store.log.refusedCount()).toBe(2);
});

test('an entry preserves its activity and cannot be forged', () => {
  const { mac, body } = entryOf('org', 'activity');
  expect(JSON.parse(body)).toMatchObject({ fingerprint: expect.stringMatching(/^sha256:/), status: expect.any(String) });
  expect(integrity.logEntry({ format: 2, organizationId: 'org', activityId: 'activity', revision: 0, body })).toEqual(mac);
  for (const other of [{ format: 1 }, { organizationId: 'o' }, { activityId: 'a' }, { revision: 1 }, { body: '{}' }])
    expect(
      integrity.logEntry({ format: 2, organizationId: 'org', activityId: 'activity', revision: 0, body, ...other }),
    ).not.toEqual(mac);
});

test('D259: accepts only entries that follow the newest heads and counts', async () => {
  const scene = await openScene();
  const [key, one, two] = ['0a', '01', '02'].map((byte) => byte.repeat(32)) as [string, string, string];
  const at = (version: number) => headOf('org', version);
  const first = await scene.queue('org', 'created', 0, { usage: [[key, 1, one, '']] });
  await scene.queue('org', 'changed', 0, at(2));
  await scene.queue('org', 'counted', 0, { ...at(2), usage: [[key, 2, two, one]] });
  await integrateAll(scene.process());
  expect(scene.alarms).toEqual([]);
  const refused = [
    { ...first, activityId: 'created' },
    entryOf('org', 'older', 0, at(1)),
    entryOf('org', 'skipped', 0, at(4)),
    entryOf('org', 'another', 0, { ...at(2), headDigest: one }),
    entryOf('org', 'again', 0, { ...at(2), created: [{ organizationId: 'org', ...at(1) }] }),
    entryOf('unknown', 'unknown'),
    entryOf('org', 'epoch', 0, { ...at(2), epoch: 0 }),
    entryOf('org', 'recount', 0, { ...at(2), usage: [[key, 2, two, one]] }),
    entryOf('org', 'restart', 0, { ...at(2), usage: [[key, 1, one, '']] }),
    entryOf('org', 'fork', 0, { ...at(2), usage: [[key, 3, one, one]] }),
    entryBefore('org', 'before'),
  ];
  scene.execute("DELETE FROM log_leaves WHERE activity_id = 'created'");
  for (const entry of refused) await scene.store.log.enqueue(entry);
  await scene.queue('org', 'next', 0, { ...at(3), usage: [[key, 3, one, two]] });
  await integrateAll(scene.process());
  expect(await scene.store.log.refusedCount()).toBe(refused.length);
  expect(scene.alarms).toHaveLength(refused.length);
  expect(await scene.store.log.heads(['org'])).toMatchObject([{ sequence: 4, headVersion: 3 }]);
});

test('a process of an earlier epoch stops at the entries of a later one', async () => {
  const scene = await openScene();
  await scene.queue('org', 'activity', 0, { epoch: 2 });
  await expect(integrateAll(scene.process())).rejects.toThrow('it has entries of epoch 2, but this server is of epoch 1');
  expect(await scene.store.log.refusedCount()).toBe(0);
  await integrateAll(scene.process(scene.store.log, 2));
  await expectSound(scene);
});

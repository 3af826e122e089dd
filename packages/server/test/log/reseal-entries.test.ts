import { expect, test } from 'vitest';
import { readLogEntry } from '../../src/log/entry.ts';
import { resealEntries } from '../../src/log/reseal-entries.ts';
import { entryOf, expectSound, integrateAll, integrity, openScene } from './scene.ts';

test('waiting entries become leaves of the next epoch, in their order', async () => {
  const scene = await openScene();
  await scene.queue('org', 'first');
  await scene.queue('org', 'second');
  await resealEntries(scene.store.log, integrity, 1, 2);
  const waiting = await scene.store.log.queued(10);
  expect(waiting.map(({ activityId }) => activityId)).toEqual(['first', 'second']);
  expect(waiting.map((entry) => readLogEntry(integrity, entry))).toMatchObject([{ epoch: 2 }, { epoch: 2 }]);
  await integrateAll(scene.process(scene.store.log, 2));
  await expectSound(scene);
  expect(scene.alarms).toEqual([]);
});

test('D272: entries of another epoch, and forged ones, are not sealed again', async () => {
  const scene = await openScene();
  await scene.queue('org', 'first', 0, { epoch: 2 });
  const lost = entryOf('org', 'lost', 0, { epoch: 1 });
  await scene.store.log.enqueue(lost);
  const forged = { ...entryOf('org', 'forged', 0, { epoch: 2 }), mac: new Uint8Array(32) };
  await scene.store.log.enqueue(forged);
  await resealEntries(scene.store.log, integrity, 2, 3);
  const [first, second, third] = await scene.store.log.queued(10);
  expect(first && readLogEntry(integrity, first)).toMatchObject({ epoch: 3 });
  expect(second).toMatchObject({ body: lost.body });
  expect(third && readLogEntry(integrity, third)).toBeUndefined();
  await integrateAll(scene.process(scene.store.log, 3));
  expect(await scene.store.log.refusedCount()).toBe(2);
});

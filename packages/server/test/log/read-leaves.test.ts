import { expect, test } from 'vitest';
import { leavesFrom } from '../../src/log/read-leaves.ts';
import { turnsDuring } from '../admission/turns-during.ts';
import { integrity, openScene } from './scene.ts';

test('D246: yields to other requests while it verifies leaves of another process', async () => {
  const { store, queue, process } = await openScene();
  const keeper = process();
  const count = 1_500;
  for (let at = 0; at < count; at++) await queue('o', `a${at}`);
  while ((await keeper.sequencer.integrate())?.more === true);
  const { size } = keeper.view.seen;
  expect(size).toBeGreaterThan(count);

  let followed = 0;
  const turns = await turnsDuring(async () => {
    for await (const leaves of leavesFrom(store.log, integrity, keeper.view.seen, 0)) followed += leaves.length;
  });
  expect(followed).toBe(size);
  // All of them take several slices on any machine. Without slices, nobody has a turn.
  expect(turns).toBeGreaterThan(1);
});

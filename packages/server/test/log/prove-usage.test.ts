import { expect, test } from 'vitest';
import { macDigest, usageKeyHex } from '../../src/log/logged-step.ts';
import { createUsageProver } from '../../src/log/prove-usage.ts';
import type { Store } from '../../src/store/store.ts';
import { integrateAll, integrity, openScene, type Scene } from './scene.ts';

const key = { organizationId: 'org-1', bucket: 'sent-name:invoice' };
const point = { revision: 1, mac: Buffer.from('first') };
const used = [usageKeyHex(integrity, key.organizationId, key.bucket), 1, macDigest(point.mac), ''] as const;

/** The log of a service that never rests: it is extended before each read of the queue, and after it. */
function busy(scene: Scene): Store['log'] {
  let others = 0;
  async function extend(): Promise<void> {
    await scene.queue('org-2', `other-${others++}`);
    await integrateAll(scene.process());
  }
  return {
    ...scene.store.log,
    async queuedAbout(text) {
      await extend();
      const found = await scene.store.log.queuedAbout(text);
      await extend();
      return found;
    },
  };
}

const proverOn = (scene: Scene, store: Store['log']) => {
  const { view } = scene.process();
  return createUsageProver({ store, integrity, epoch: 1, seen: () => view.seen });
};

const withQueue = { withQueue: true };

test('D1030: a log that is extended all the time raises no alarm about a name that was never used, or was', async () => {
  const scene = await openScene();
  await scene.queue('org-1', 'a');
  await integrateAll(scene.process());
  const prove = proverOn(scene, busy(scene));
  expect(await prove(key, undefined, withQueue)).toBeUndefined();
  await scene.queue('org-1', 'b', 0, { usage: [used] });
  expect(await prove(key, point, withQueue)).toBeUndefined();
  expect(await prove(key, undefined, withQueue)).toContain('the log has');
});

test('D948: a count that leaves the queue while it is read is not overlooked', async () => {
  const scene = await openScene();
  await scene.queue('org-1', 'a');
  await integrateAll(scene.process());
  await scene.queue('org-1', 'b', 0, { usage: [used] });
  const log = scene.store.log;
  for (const when of ['before', 'after'] as const) {
    const prove = proverOn(scene, {
      ...log,
      async queuedAbout(text) {
        if (when === 'before') await integrateAll(scene.process());
        const found = await log.queuedAbout(text);
        if (when === 'after') await integrateAll(scene.process());
        return found;
      },
    });
    expect(await prove(key, undefined, withQueue)).toContain('the log has');
    expect(await prove(key, point, withQueue)).toBeUndefined();
  }
});

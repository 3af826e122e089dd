import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { writeBaseline } from '../../src/log/baseline.ts';
import { readHeads } from '../../src/log/map-reader.ts';
import type { Store } from '../../src/store/store.ts';
import { createOrganization, head } from '../store/rows.ts';
import { entryOf, integrateAll, integrity, openScene, type Scene } from './scene.ts';

/** A log of an earlier release with two organizations, one of which has leaves. */
async function earlier(): Promise<{ readonly scene: Scene; readonly ids: readonly string[] }> {
  const scene = await openScene({ withMap: false });
  const ids = [await createOrganization(scene.store), await createOrganization(scene.store)];
  for (const activity of ['a', 'b', 'c']) await scene.queue(ids[0] as string, activity);
  await integrateAll(scene.process());
  return { scene, ids };
}

/** Writes the baseline, as one process does. */
function write({ store, process }: Scene, log: Store['log'] = store.log): Promise<void> {
  const { view } = process(log);
  const clock = { nowMs: () => 1_000 };
  return writeBaseline({ store: { ...store, log }, integrity, view, clock, epoch: 1, alarm: () => {}, onProgress: () => {} });
}

/** The log, after whose call with this number something else happens. */
function interruptedAt(log: Store['log'], number: number, interrupt: () => Promise<void>): Store['log'] {
  let calls = 0;
  const { noteSize, ...others } = log;
  const wrapped = Object.entries(others).map(([name, call]) => {
    const interrupted = async (...args: unknown[]) => {
      const result = await (call as (...given: unknown[]) => Promise<unknown>)(...args);
      if (++calls === number) await interrupt();
      return result;
    };
    return [name, interrupted];
  });
  return { ...Object.fromEntries(wrapped), noteSize } as unknown as Store['log'];
}

/** The log, whose call with this number fails after it was made. */
const dyingAt = (log: Store['log'], number: number) => interruptedAt(log, number, () => Promise.reject(new Error('died')));

async function expectBaseline({ store }: Scene, ids: readonly string[]): Promise<void> {
  const state = await store.log.state();
  const heads = await readHeads(store.log, state?.mapRoot as Uint8Array, ids);
  const { version, mac } = head(1);
  const headDigest = createHash('sha256').update(mac).digest('hex');
  expect(ids.map((id) => heads.get(id))).toMatchObject([
    { sequence: 3, headVersion: version, headDigest },
    { sequence: 0, leafHash: '', headVersion: version, headDigest },
  ]);
  const leaves = await store.log.leaves(0, 100);
  expect(leaves.filter(({ opening }) => opening.includes('HEADS_BASELINE'))).toHaveLength(1);
}

test('a baseline commits to all organizations, and entries follow it', async () => {
  const { scene, ids } = await earlier();
  await write(scene);
  await write(scene);
  await expectBaseline(scene, ids);
  const headDigest = createHash('sha256').update(head(1).mac).digest('hex');
  await scene.store.log.enqueue(entryOf(ids[0] as string, 'd', 0, { headVersion: 1, headDigest }));
  await integrateAll(scene.process());
  expect(await scene.store.log.leafOf(ids[0] as string, 'd')).toMatchObject({ sequence: 4 });
  expect(scene.alarms).toEqual([]);
});

test('a crash after any call of a baseline, and two processes at once, leave one correct map', async () => {
  for (let call = 1; call <= 14; call++) {
    const { scene, ids } = await earlier();
    await write(scene, dyingAt(scene.store.log, call)).catch((error: Error) => expect(error.message).toBe('died'));
    await Promise.all([write(scene), write(scene)]);
    await expectBaseline(scene, ids);
  }
});

test('a second process that writes its baseline between any two calls leaves one correct map', async () => {
  for (let call = 1; call <= 14; call++) {
    const { scene, ids } = await earlier();
    await write(
      scene,
      interruptedAt(scene.store.log, call, () => write(scene)),
    );
    await expectBaseline(scene, ids);
  }
});

test('an altered last leaf stops the baseline', async () => {
  const { scene } = await earlier();
  scene.execute('UPDATE log_heads SET sequence = 2 WHERE sequence = 3');
  await expect(write(scene)).rejects.toThrow('are missing, or its last leaf was changed');
});

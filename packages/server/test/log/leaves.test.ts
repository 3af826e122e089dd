import { expect, test } from 'vitest';
import { leafVerifier, verifiedLeaves } from '../../src/log/leaves.ts';
import { createLocalTreeState } from '../../src/log/local-tree-state.ts';
import { LogError } from '../../src/log/log-error.ts';
import { integrateAll, integrity, openScene, type Scene } from './scene.ts';

async function grown(count = 300): Promise<Scene> {
  const scene = await openScene();
  for (let number = 0; number < count; number++) await scene.queue('org', `activity-${number}`);
  await integrateAll(scene.process());
  return scene;
}

/** Reads the whole log as a process does that knows nothing of it. */
async function readAll({ store, process }: Scene): Promise<void> {
  const { size, root } = await process().view.refresh();
  await verifiedLeaves(store.log, leafVerifier(store.log, integrity, { size, root }), 0, size);
}

const flip = (column: string) => `CAST(substr(${column}, 1, 31) || x'00' || substr(${column}, 33) AS BLOB)`;

test.each([
  ['the size of the state', 'UPDATE log_state SET size = size - 1'],
  ['the root of the state', `UPDATE log_state SET root = ${flip('root')}`],
  ['the frontier of the state', `UPDATE log_state SET frontier = ${flip('frontier')}`],
  ['the state itself', 'DELETE FROM log_state'],
  ['a full tile', `UPDATE log_tiles SET hashes = ${flip('hashes')} WHERE level = 0 AND tile_index = 0`],
  ['a tile that is not full', `UPDATE log_tiles SET hashes = ${flip('hashes')} WHERE level = 0 AND tile_index = 1`],
  ['a tile above', `UPDATE log_tiles SET hashes = ${flip('hashes')} WHERE level = 1`],
  ['a tile that is gone', 'DELETE FROM log_tiles WHERE level = 0 AND tile_index = 0'],
  ['what a leaf says', `UPDATE log_leaves SET opening = replace(opening, 'COMPLETED', 'FAILED') WHERE leaf_index = 5`],
  ['the data of a leaf', `UPDATE log_leaves SET commitment = ${flip('commitment')} WHERE leaf_index = 5`],
  ['whose leaf it is', `UPDATE log_leaves SET activity_id = 'other' WHERE leaf_index = 5`],
  ['a leaf that is gone', 'DELETE FROM log_leaves WHERE leaf_index = 5'],
  [
    'the order of two leaves',
    'UPDATE log_leaves SET leaf_index = 900 WHERE leaf_index = 5; UPDATE log_leaves SET leaf_index = 5 WHERE leaf_index = 6; UPDATE log_leaves SET leaf_index = 6 WHERE leaf_index = 900',
  ],
])('D98: a change of %s is found', async (_what, sql) => {
  const scene = await grown();
  await readAll(scene);
  scene.execute(sql);
  await expect(readAll(scene)).rejects.toBeInstanceOf(LogError);
});

test('D98: the last leaf of an organization cannot be forged', async () => {
  const scene = await grown(3);
  scene.execute('UPDATE log_heads SET sequence = 1');
  await scene.queue('org', 'next');
  await expect(integrateAll(scene.process())).rejects.toThrow('the last leaf or head of org is not the one in the head map');
});

test('D98: does not append to an outdated last leaf', async () => {
  const scene = await grown(3);
  scene.execute('CREATE TABLE copy AS SELECT * FROM log_heads');
  await scene.queue('org', 'next');
  await integrateAll(scene.process());
  scene.execute('DELETE FROM log_heads; INSERT INTO log_heads SELECT * FROM copy');
  await scene.queue('org', 'after');
  await expect(integrateAll(scene.process())).rejects.toThrow('the last leaf or head of org is not the one in the head map');
});

test('D99: rejects a log that was rolled back, and reports by how many leaves', async () => {
  const scene = await grown(10);
  scene.execute(
    ['log_state', 'log_tiles', 'log_leaves', 'log_heads', 'log_map']
      .map((name) => `CREATE TABLE copy_${name} AS SELECT * FROM ${name};`)
      .join(' '),
  );
  await scene.queue('org', 'next');
  const process = scene.process();
  await integrateAll(process);
  const seen = process.view.seen;
  for (const name of ['log_state', 'log_tiles', 'log_leaves', 'log_heads', 'log_map'])
    scene.execute(`DELETE FROM ${name}; INSERT INTO ${name} SELECT * FROM copy_${name}`);
  await expect(process.view.refresh()).rejects.toThrow('its log has 11 entries, but this server saw 12, so 1 are missing');
  const restarted = createLocalTreeState(scene.store.log, integrity, { ...seen, atMs: 0 });
  await expect(restarted.refresh()).rejects.toThrow('this server saw 12 at 1970-01-01T00:00:00.000Z, so 1 are missing');
  // Another history of the same length is no better.
  await scene.queue('org', 'another');
  await integrateAll(scene.process());
  await expect(process.view.refresh()).rejects.toThrow('does not start with the 12 that this server saw');
});

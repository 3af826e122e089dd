import { expect, onTestFinished, test } from 'vitest';
import { describeEngines } from '../../support/describe-engines.ts';
import { type Engine, engines, preparedEngines } from '../../support/installation.ts';
import { startService } from '../../support/service.ts';
import { createPrivateKey, signParams } from '../../support/world.ts';
import { digestOf, leafOf, readCheckpoint, readKey, readLeaves, valueInMap } from './independent-reader.ts';
import { eventually, TestWitness } from './witness-support.ts';

const page = async (url: string) => (await fetch(url)).text();

describeEngines('an independent reader of the log', (subject) => {
  test('proves every leaf and every tile, and finds its own leaves and the newest head', { timeout: 240_000 }, async () => {
    const { service } = subject();
    const { url, root: caller } = service;
    const key = readKey(await page(`${url}/log/key`));
    const privateKey = await createPrivateKey(caller);
    // More than one tile, so that there are tiles of level 1.
    for (let count = 0; count < 270; count++) await caller.submit('signRawPayload', signParams(privateKey));
    const { records, end } = await caller.data('listAuditRecords', { limit: '1000' });
    const tree = readCheckpoint(end.checkpoint, [key]);
    const leaves = await readLeaves(url, tree);
    expect(leaves.length).toBeGreaterThan(270);
    for (const { leafIndex, opening, salt } of records)
      expect(leafOf(opening, salt).data.equals(leaves[Number(leafIndex)] as Buffer)).toBe(true);

    const last = records.at(-1);
    const { organizationId, sequence, headVersion, headDigest } = JSON.parse(last.opening);
    const leafHash = leafOf(last.opening, last.salt).hash.toString('hex');
    const { mapRoot } = readCheckpoint(end.head.checkpoint, [key]);
    const nodes = end.head.nodes.map((node: string) => Buffer.from(node, 'hex'));
    const value = digestOf(JSON.stringify({ organizationId, sequence, leafHash, headVersion, headDigest }));
    expect(valueInMap(mapRoot as Buffer, organizationId, nodes)).toBe(value);

    // The reader finds a changed entry, tile and signature.
    const [first, ...rest] = leaves as [Buffer, ...Buffer[]];
    expect(first.length).toBe(33);
    expect(rest.length).toBe(tree.size - 1);
    await expect(readLeaves(url, { ...tree, root: Buffer.alloc(32) })).rejects.toThrow('do not lead to the root');
    expect(() => readCheckpoint(end.checkpoint.replace('\n', 'x\n'), [key])).toThrow('did not sign');
    const raw = await subject().installation.raw();
    const [tile] = await raw.all('SELECT hashes FROM log_tiles WHERE level = 1 AND tile_index = 0');
    const hashes = Buffer.from(tile?.hashes as Uint8Array);
    await raw.run(
      'UPDATE log_tiles SET hashes = ? WHERE level = 1 AND tile_index = 0',
      new Uint8Array(hashes.map((byte) => byte ^ 1)),
    );
    await expect(readLeaves(url, tree)).rejects.toThrow('tile 0 of level 1');
    await raw.run('UPDATE log_tiles SET hashes = ? WHERE level = 1 AND tile_index = 0', new Uint8Array(hashes));
    await readLeaves(url, tree);
  });
});

test.each(Object.keys(engines) as Engine[])('an independent reader verifies cosignatures on %s', async (engine) => {
  const installation = await preparedEngines[engine]();
  onTestFinished(installation.remove);
  const before = await startService(installation);
  const logKey = await page(`${before.url}/log/key`);
  await before.close();
  const witness = await TestWitness.open(logKey.trim());
  const service = await startService(installation, { config: { witnesses: [witness.setting] } });
  onTestFinished(() => service.close());
  await createPrivateKey(service.root);
  const keys = [readKey(logKey), readKey(witness.keyText)];
  const cosigned = async () => readCheckpoint(await page(`${service.url}/log/checkpoint`), keys);
  await eventually('the checkpoint is cosigned', () =>
    cosigned().then(
      () => true,
      () => false,
    ),
  );
  const tree = await cosigned();
  expect(tree.mapRoot?.length).toBe(32);
  await readLeaves(service.url, tree);
  // Another time, or another witness, did not sign it.
  expect(() =>
    readCheckpoint(tree.note, [keys[0] as never, { ...(keys[1] as object), publicKey: keys[0]?.publicKey } as never]),
  ).toThrow('did not sign');
});

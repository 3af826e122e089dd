import { hash } from 'node:crypto';
import {
  commitment,
  consistencyProof,
  leafHash,
  treeRoot,
  verifyChain,
  verifyConsistency,
  verifyInclusion,
  verifyOpening,
} from '@countersign/tlog';
import { expect, test } from 'vitest';
import { packOpening } from '../../../packages/server/src/store/packed-opening.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { bodyOf, openingOf } from '../../support/packed-rows.ts';
import type { StoredRow } from '../../support/raw-database.ts';
import { startService } from '../../support/service.ts';
import { createPrivateKey, errorOf, privateKeyParams, signParams } from '../../support/world.ts';
import { createOrganization, memberAt } from '../policies/support.ts';
import { fromHex, LogClient, openedLeaf } from './support.ts';

describeEngines('the log of an installation', (subject) => {
  const client = () => new LogClient(subject().service.url);

  /** Checks a proof with nothing but the key of the log, and returns what the leaf says. */
  async function checked(proof: Json) {
    const { size, root } = await client().checkpoint(proof.checkpoint);
    const { opening, salt } = openedLeaf(proof.leaf);
    const claim = { index: Number(proof.leaf.leafIndex), size, leafHash: leafHash(commitment(opening, salt)), root };
    expect(verifyInclusion(claim, proof.hashes.map(fromHex))).toEqual({ ok: true });
    return opening;
  }

  /** Every leaf of an organization, checked to be all of them. */
  async function allEntries(root: Caller) {
    const entries: Json[] = [];
    for (;;) {
      const part = await root.data('listLogEntries', { from: String(entries.length + 1), limit: '3' });
      entries.push(...part.entries);
      if (part.entries.length > 0 && entries.length < Number(part.head.sequence)) continue;
      const head = { sequence: Number(part.head.sequence), leafHash: part.head.leafHash };
      expect(verifyChain(root.organizationId, entries.map(openedLeaf), head)).toEqual({ ok: true });
      return { entries, head };
    }
  }

  test('serves the tiles of a checkpoint that another process just signed', async () => {
    const other = await startService(subject().installation);
    try {
      await createPrivateKey(subject().service.root);
      await subject().service.root.data('listLogEntries');
      const tree = await client().checkpoint();
      const there = new LogClient(other.url);
      expect(Buffer.from(await treeRoot(tree.size, there.reader(tree)))).toEqual(Buffer.from(tree.root));
      expect((await there.page('tile/0/000.p/255')).status).toBe(404);
    } finally {
      await other.close();
    }
  });

  test('R6: every activity has a publicly verifiable proof', async () => {
    const { root } = await createOrganization(subject().service.root);
    const key = await createPrivateKey(root);
    for (const dialect of ['spec', 'turnkey'] as const) {
      const caller = root.with({ dialect });
      const answer = await caller.submit('signRawPayload', signParams(key));
      expect(answer.status).toBe(200);
      const activity = (await caller.data('listActivities', { paginationOptions: { limit: '1' } })).activities[0];
      const opening = await checked(await caller.data('getLogProof', { activityId: activity.id }));
      expect(opening).toMatchObject({
        organizationId: root.organizationId,
        activityId: activity.id,
        fingerprint: activity.fingerprint,
        type: activity.type,
        status: 'ACTIVITY_STATUS_COMPLETED',
      });
    }
    const { activities } = await root.data('listActivities', { paginationOptions: { limit: '100' } });
    for (const { id } of activities) await checked(await root.data('getLogProof', { activityId: id }));
  });

  test('R6: every step of an activity has a leaf with the digests of the stored data', async () => {
    const { service, raw } = subject();
    const { id, root, roots } = await createOrganization(service.root, { roots: 2, threshold: 2 });
    const submitted = await root
      .with({ dialect: 'turnkey' })
      .submit('createPrivateKeys', { privateKeys: [privateKeyParams('CURVE_SECP256K1')] });
    const { fingerprint, id: activityId } = submitted.body.activity;
    expect((await memberAt({ members: roots }, 1).caller.submit('approveActivity', { fingerprint })).status).toBe(200);
    const proofOf = (revision?: string) => root.data('getLogProof', { activityId, ...(revision && { revision }) });
    expect(await checked(await proofOf('0'))).toMatchObject({ status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED', resultDigest: '' });
    const done = await checked(await proofOf('1'));
    expect(await checked(await proofOf())).toEqual(done);
    const [row] = await raw.all('SELECT body, packed FROM activities WHERE organization_id = ? AND id = ?', id, activityId);
    const { decisions, result, changed } = JSON.parse(bodyOf(row as StoredRow));
    const digest = (value: unknown) => hash('sha256', JSON.stringify(value));
    expect(done).toMatchObject({ status: 'ACTIVITY_STATUS_COMPLETED', resultDigest: digest({ result, changed }) });
    expect(done.decisionDigest).toBe(digest(decisions.at(-1)));
    expect(errorOf(await root.query('getLogProof', { activityId, revision: '2' }))).toMatchObject({ status: 404 });
  });

  test('D57: an organization gets all of its own leaves, and none of another', async () => {
    const { service } = subject();
    const [one, two] = [await createOrganization(service.root), await createOrganization(service.root)];
    for (let count = 0; count < 4; count++) await createPrivateKey(count % 2 === 0 ? one.root : two.root);
    const first = (await allEntries(one.root)).entries;
    expect(first).toHaveLength(2);
    expect(first.every(({ opening }) => JSON.parse(opening).organizationId === one.id)).toBe(true);
    const { activityId } = JSON.parse(first[0].opening);
    expect(errorOf(await two.root.query('getLogProof', { activityId }))).toMatchObject({ status: 404 });
    const { head } = await allEntries(one.root);
    expect(await one.root.data('listLogEntries', { from: String(head.sequence + 1) })).toMatchObject({ entries: [] });
  });

  test('R6: the served log pages verify, and only grow', async () => {
    const { service } = subject();
    const log = client();
    const before = await log.checkpoint();
    const { root } = await createOrganization(service.root);
    for (let count = 0; count < 3; count++) await createPrivateKey(root);
    const { entries } = await allEntries(root);
    const after = await log.checkpoint();
    expect(after.size).toBeGreaterThan(before.size);
    const reader = log.reader(after);
    expect(await treeRoot(after.size, reader)).toEqual(after.root);
    const proof = await consistencyProof(before.size, after.size, reader);
    const claim = { oldSize: before.size, oldRoot: before.root, newSize: after.size, newRoot: after.root };
    expect(verifyConsistency(claim, proof)).toEqual({ ok: true });
    const data = await log.entries(0, Math.min(256, after.size));
    const hashes = await reader.read(data.map((_, index) => ({ level: 0, index })));
    expect(data.map(leafHash)).toEqual(hashes);
    for (const entry of entries) {
      const { opening, salt } = openedLeaf(entry);
      const leaf = data[Number(entry.leafIndex)];
      if (leaf !== undefined) expect(verifyOpening(leaf, opening, salt)).toEqual({ ok: true });
    }
  });

  test('log pages are cacheable, and other paths do not exist', async () => {
    const log = client();
    const { size } = await log.checkpoint();
    const cache = async (path: string) => (await log.page(path)).headers.get('cache-control');
    expect(await cache('checkpoint')).toBe('public, max-age=1');
    expect(await cache('key')).toBe('public, max-age=3600');
    expect(await cache('tile/0/000.p/1')).toBe('public, max-age=31536000, immutable');
    expect((await log.bytes('tile/0/000.p/1')).length).toBe(32);
    for (const path of [
      '',
      'tile',
      'tile/0/0',
      'tile/0/x000/000',
      `tile/0/000.p/${size + 100}`,
      'tile/0/999',
      'tile/9/000.p/1',
      'keys',
    ])
      expect((await log.page(path)).status, path).toBe(404);
    expect((await fetch(`${subject().service.url}/log/checkpoint`, { method: 'POST' })).status).toBe(405);
    expect((await log.key()).name).toBe(`countersign/${subject().service.first.organizationId}`);
  });

  test('the first leaf records that the log contains every activity', async () => {
    const [leaf] = await subject().raw.all('SELECT opening FROM log_leaves WHERE leaf_index = 0');
    expect(JSON.parse(String(leaf?.opening))).toMatchObject({ type: 'LOG_STARTED', status: 'FROM_THE_FIRST_ACTIVITY' });
  });

  test('D98: an altered log yields an error instead of a proof', async () => {
    const { service, raw } = subject();
    const { root } = await createOrganization(service.root);
    await createPrivateKey(root);
    const { entries } = await allEntries(root);
    const { activityId } = JSON.parse(entries[0].opening);
    for (const leaf of await raw.all('SELECT * FROM log_leaves WHERE organization_id = ?', root.organizationId)) {
      const opening = openingOf(leaf).replace('COMPLETED', 'FAILED');
      const [activity, sequence] = [String(leaf.activity_id), Number(leaf.sequence)];
      const packed = packOpening({ organizationId: root.organizationId, activityId: activity, revision: 0, sequence, opening });
      const sql = 'UPDATE log_leaves SET opening = ?, packed = ? WHERE leaf_index = ?';
      expect(await raw.run(sql, packed.length === 0 ? opening : '', packed, Number(leaf.leaf_index))).toBe(1);
    }
    for (const answer of [await root.query('getLogProof', { activityId }), await root.query('listLogEntries')])
      expect(errorOf(answer)).toMatchObject({ status: 500, code: 'STATE_TAMPERED' });
    expect(service.alarms().some(({ organizationId }) => organizationId === root.organizationId)).toBe(true);
  });
});

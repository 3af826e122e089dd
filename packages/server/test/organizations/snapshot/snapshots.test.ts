import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test, vi } from 'vitest';
import { makeDataDirectory } from '../../../../../test/support/data-directory.ts';
import { applyNewOrganization } from '../../../src/organizations/snapshot/apply-changes.ts';
import { createSnapshots } from '../../../src/organizations/snapshot/snapshots.ts';
import { openSqlite } from '../../../src/store/sqlite/open.ts';
import { openVault } from '../../../src/vault/open-vault.ts';
import { fileRootKey } from '../../../src/vault/root-key/providers/file.ts';

const dates = { createdAtMs: 1, updatedAtMs: 1 };

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const MINUTE_MS = 60_000;

/** Stores so many organizations, and opens snapshots of them. Minutes pass only when the test says so. */
async function openSnapshots(organizations: number) {
  const directory = makeDataDirectory('snapshots');
  const store = await openSqlite({ file: join(directory, 'database.sqlite') });
  const vault = await openVault({ store, rootKeys: fileRootKey(join(directory, 'root.key')), create: true });
  onTestFinished(async () => {
    vi.useRealTimers();
    vault.close();
    await store.close();
    rmSync(directory, { recursive: true });
  });
  const ids = Array.from({ length: organizations }, (_, index) => `organization-${index}`);
  const create = async (organizationId: string) => {
    const profile = { name: 'Acme', parentId: null, rootQuorum: { threshold: 1, userIds: [] }, features: [], ...dates };
    const changes = [{ op: 'putRecord' as const, kind: 'organization' as const, id: organizationId, body: profile }];
    const dataKey = await vault.service.createDataKey(organizationId);
    const writes = applyNewOrganization(vault.integrity, '', { op: 'createOrganization', organizationId, dataKey, changes });
    const activity = { organizationId, id: organizationId, revision: 0, fingerprint: organizationId, requestedAtMs: 0 };
    const kind = { type: 'T', status: 'ACTIVITY_STATUS_COMPLETED', body: '{}', mac: new Uint8Array(32) };
    return { organizationId, expected: { version: 0, mac: new Uint8Array() }, activity: { ...activity, ...kind }, writes };
  };
  for (let at = 0; at < ids.length; at += 100) {
    const taken = await store.commit(await Promise.all(ids.slice(at, at + 100).map(create)));
    expect(taken.every((each) => each.taken)).toBe(true);
  }
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'setTimeout', 'clearTimeout', 'clearInterval'] });
  const snapshots = createSnapshots(
    store.organizations,
    vault.integrity,
    () => {},
    async () => undefined,
  );
  return { ids, snapshots };
}

test('D544: organizations that were served once leave the memory, and one in use stays', async () => {
  const { ids, snapshots } = await openSnapshots(50);
  for (const id of ids) expect(await snapshots.get(id)).toMatchObject({ id });
  expect(snapshots.usage()).toMatchObject({ organizations: ids.length });
  for (let minutes = 0; minutes < 40; minutes += 10) {
    vi.advanceTimersByTime(10 * MINUTE_MS);
    expect(await snapshots.get(ids[0] as string)).toMatchObject({ id: ids[0] });
  }
  expect(snapshots.usage().organizations).toBe(1);
  expect(await snapshots.get(ids[1] as string)).toMatchObject({ id: ids[1] });
});

test('D544: the memory of 5,000 organizations that were served once is free after half an hour', async () => {
  const { ids, snapshots } = await openSnapshots(5_000);
  const heapBytes = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  await snapshots.get(ids[0] as string);
  const before = heapBytes();
  for (const id of ids) await snapshots.get(id);
  const filled = heapBytes() - before;
  expect(snapshots.usage().organizations).toBe(ids.length);
  vi.advanceTimersByTime(32 * MINUTE_MS);
  const left = heapBytes() - before;
  expect(filled).toBeGreaterThan(5_000 * 1_000);
  expect(left).toBeLessThan(filled / 3);
  expect(snapshots.usage().organizations).toBe(0);
});

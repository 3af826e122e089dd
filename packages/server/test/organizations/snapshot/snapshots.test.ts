import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { makeDataDirectory } from '../../../../../test/support/data-directory.ts';
import { applyNewOrganization } from '../../../src/organizations/snapshot/apply-changes.ts';
import { createSnapshots } from '../../../src/organizations/snapshot/snapshots.ts';
import { openSqlite } from '../../../src/store/sqlite/open.ts';
import { openVault } from '../../../src/vault/open-vault.ts';
import { fileRootKey } from '../../../src/vault/root-key/providers/file.ts';

const dates = { createdAtMs: 1, updatedAtMs: 1 };

test('D544: organizations that were served once leave the memory, and one in use stays', async () => {
  const directory = makeDataDirectory('snapshots');
  const store = await openSqlite({ file: join(directory, 'database.sqlite') });
  const vault = await openVault({ store, rootKeys: fileRootKey(join(directory, 'root.key')), create: true });
  onTestFinished(async () => {
    vi.useRealTimers();
    vault.close();
    await store.close();
    rmSync(directory, { recursive: true });
  });
  const ids = Array.from({ length: 50 }, (_, index) => `organization-${index}`);
  for (const organizationId of ids) {
    const profile = { name: 'Acme', parentId: null, rootQuorum: { threshold: 1, userIds: [] }, features: [], ...dates };
    const changes = [{ op: 'putRecord' as const, kind: 'organization' as const, id: organizationId, body: profile }];
    const dataKey = await vault.service.createDataKey(organizationId);
    const writes = applyNewOrganization(vault.integrity, '', { op: 'createOrganization', organizationId, dataKey, changes });
    const activity = { organizationId, id: organizationId, revision: 0, fingerprint: organizationId, requestedAtMs: 0 };
    const kind = { type: 'T', status: 'ACTIVITY_STATUS_COMPLETED', body: '{}', mac: new Uint8Array(32) };
    const expected = { version: 0, mac: new Uint8Array() };
    expect(await store.commit([{ organizationId, expected, activity: { ...activity, ...kind }, writes }])).toEqual([
      { taken: true },
    ]);
  }
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'setTimeout', 'clearTimeout', 'clearInterval'] });
  const snapshots = createSnapshots(
    store.organizations,
    vault.integrity,
    () => {},
    async () => undefined,
  );
  for (const id of ids) expect(await snapshots.get(id)).toMatchObject({ id });
  expect(snapshots.usage()).toMatchObject({ organizations: ids.length });
  for (let minutes = 0; minutes < 40; minutes += 10) {
    vi.advanceTimersByTime(10 * 60_000);
    expect(await snapshots.get(ids[0] as string)).toMatchObject({ id: ids[0] });
  }
  expect(snapshots.usage().organizations).toBe(1);
  expect(await snapshots.get(ids[1] as string)).toMatchObject({ id: ids[1] });
});

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDataDirectory } from '../../../../../test/support/data-directory.ts';
import type { Resource } from '../../../src/organizations/records.ts';
import { applyChanges, applyChangesInSteps, applyNewOrganization } from '../../../src/organizations/snapshot/apply-changes.ts';
import type { Change } from '../../../src/organizations/snapshot/changes.ts';
import { loadChecked } from '../../../src/organizations/snapshot/load.ts';
import { createResources } from '../../../src/organizations/snapshot/resources.ts';
import type { Snapshot } from '../../../src/organizations/snapshot/snapshot.ts';
import type { ActivityRow } from '../../../src/store/rows.ts';
import { openSqlite } from '../../../src/store/sqlite/open.ts';
import type { Commit, Store } from '../../../src/store/store.ts';
import { openVault } from '../../../src/vault/open-vault.ts';
import { fileRootKey } from '../../../src/vault/root-key/providers/file.ts';
import type { Vault } from '../../../src/vault/vault.ts';

const dates = { createdAtMs: 1, updatedAtMs: 1 };

/** One change of an organization. Numbers choose among existing objects. */
interface Step {
  readonly op: (typeof ops)[number];
  readonly pick: number;
}

const ops = ['addUser', 'changeUser', 'removeUser', 'addKey', 'removeKey', 'renameKey', 'addAccount', 'removeAccount'] as const;

const steps = fc.array(fc.record<Step>({ op: fc.constantFrom(...ops), pick: fc.nat(1000) }), { minLength: 5, maxLength: 20 });

let directory: string;
let store: Store;
let vault: Vault;
let counter = 0;

beforeAll(async () => {
  directory = makeDataDirectory('seal');
  store = await openSqlite({ file: join(directory, 'database.sqlite') });
  vault = await openVault({ store, rootKeys: fileRootKey(join(directory, 'root.key')), create: true });
});
afterAll(async () => {
  vault?.close();
  await store?.close();
  rmSync(directory, { recursive: true });
});

const newId = () => `id-${String(++counter).padStart(6, '0')}`;
const silent = () => {};

function activityOf(organizationId: string): ActivityRow {
  const id = newId();
  const status = 'ACTIVITY_STATUS_COMPLETED';
  const request = { fingerprint: id, requestedAtMs: 0 };
  return { organizationId, id, revision: 0, ...request, type: 'T', status, body: '{}', mac: new Uint8Array(32) };
}

async function commit(entry: Omit<Commit, 'activity'>): Promise<void> {
  const [outcome] = await store.commit([{ ...entry, activity: activityOf(entry.organizationId) }]);
  expect(outcome).toEqual({ taken: true });
}

async function found(organizationId: string): Promise<Snapshot> {
  const dataKey = await vault.service.createDataKey(organizationId);
  const body = { name: 'Acme', parentId: null, rootQuorum: { threshold: 1, userIds: [] }, features: [], ...dates };
  const wallet = { walletName: 'Wallet', exported: false, imported: false, ...dates };
  const changes = [
    { op: 'putRecord' as const, kind: 'organization' as const, id: organizationId, body },
    { op: 'putResource' as const, kind: 'wallet' as const, id: 'w', body: wallet },
  ];
  const writes = applyNewOrganization(vault.integrity, '', { op: 'createOrganization', organizationId, dataKey, changes });
  await commit({ organizationId, expected: { version: 0, mac: new Uint8Array() }, writes });
  return (await loadChecked(store.organizations, vault.integrity, silent, organizationId)) as Snapshot;
}

/** The changes of a step; none if there is nothing to change. */
async function changesOf({ op, pick }: Step, snapshot: Snapshot): Promise<Change[]> {
  const resources = createResources(store, vault.integrity, silent);
  const users = [...snapshot.users];
  const keys = await resources.list(snapshot.id, 'privateKey');
  const [userId, user] = users[pick % Math.max(1, users.length)] ?? [];
  const previous = keys[pick % Math.max(1, keys.length)] as Resource<'privateKey'> | undefined;
  const keyBody = {
    curve: 'CURVE_P256' as const,
    publicKey: '',
    addresses: [],
    privateKeyTags: [],
    exported: false,
    imported: false,
  };
  switch (op) {
    case 'removeAccount': {
      const accounts = await resources.list(snapshot.id, 'walletAccount');
      const account = accounts[pick % Math.max(1, accounts.length)];
      return account ? [{ op: 'deleteResource', previous: account }] : [];
    }
    case 'addUser':
      return [{ op: 'putRecord', kind: 'user', id: newId(), body: { userName: `User ${pick}`, userTags: [], ...dates } }];
    case 'changeUser':
      return userId && user
        ? [{ op: 'putRecord', kind: 'user', id: userId, body: { ...user, userName: `Changed ${pick}` } }]
        : [];
    case 'removeUser':
      return userId ? [{ op: 'deleteRecord', kind: 'user', id: userId }] : [];
    case 'addKey': {
      const body = { ...keyBody, privateKeyName: `Key ${pick}`, ...dates };
      return [{ op: 'putResource', kind: 'privateKey', id: newId(), body }];
    }
    case 'renameKey': {
      if (previous === undefined) return [];
      const body = { ...previous.body, privateKeyName: `Renamed ${pick}` };
      return [{ op: 'putResource', kind: 'privateKey', id: previous.id, body, previous }];
    }
    case 'removeKey':
      return previous ? [{ op: 'deleteResource', previous }] : [];
    case 'addAccount': {
      const account = {
        walletId: 'w',
        curve: 'CURVE_P256' as const,
        path: `m/${pick}`,
        addressFormat: 'ADDRESS_FORMAT_COMPRESSED',
      };
      const body = { ...account, address: `a${pick}`, publicKey: '', ...dates };
      return [{ op: 'putResource', kind: 'walletAccount', id: newId(), parentId: 'w', body }];
    }
  }
}

describe('sealing', () => {
  test('after any changes, the stored state verifies and matches the process’s view', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        let snapshot = await found(newId());
        for (const step of list) {
          const sealed = applyChanges(vault.integrity, snapshot, await changesOf(step, snapshot));
          if (sealed.head === undefined || sealed.next === undefined) continue;
          const { writes, head } = sealed;
          await commit({ organizationId: snapshot.id, expected: snapshot.head, head, writes });
          snapshot = sealed.next;
        }
        const stored = (await loadChecked(store.organizations, vault.integrity, silent, snapshot.id)) as Snapshot;
        expect(stored.version).toBe(snapshot.version);
        expect(new Map(stored.users)).toEqual(new Map(snapshot.users));
        expect([stored.recordsSum, stored.keysSum]).toEqual([snapshot.recordsSum, snapshot.keysSum]);
        expect(new Set(stored.keys)).toEqual(new Set(snapshot.keys));
      }),
      { numRuns: 12 },
    );
  });

  test('D436: many changes pause, in a new organization too, and lead to the same rows and head', async () => {
    const snapshot = await found(newId());
    const users = Array.from({ length: 200 }, (_, at): Change & { op: 'putRecord' } => ({
      op: 'putRecord',
      kind: 'user',
      id: `user ${at}`,
      body: { userName: `User ${at}`, userTags: [], ...dates },
    }));
    const organizationId = newId();
    const dataKey = await vault.service.createDataKey(organizationId);
    const body = { name: 'Sub', parentId: snapshot.id, rootQuorum: { threshold: 1, userIds: [] }, features: [], ...dates };
    const own = { op: 'putRecord' as const, kind: 'organization' as const, id: organizationId, body };
    const created = { op: 'createOrganization' as const, organizationId, dataKey, changes: [own, ...users] };
    for (const changes of [users, [created]]) {
      const steps = applyChangesInSteps(vault.integrity, snapshot, changes);
      let [pauses, step] = [0, steps.next()];
      for (; step.done !== true; step = steps.next()) pauses += 1;
      expect(pauses).toBeGreaterThanOrEqual(20);
      const whole = applyChanges(vault.integrity, snapshot, changes);
      expect([step.value.writes, step.value.head]).toEqual([whole.writes, whole.head]);
    }
  });

  test('an empty change does nothing', async () => {
    const snapshot = await found(newId());
    expect(applyChanges(vault.integrity, snapshot, [])).toEqual({ writes: [] });
  });

  test('removing a missing object is reported as a bug', async () => {
    const snapshot = await found(newId());
    expect(() => applyChanges(vault.integrity, snapshot, [{ op: 'deleteRecord', kind: 'user', id: 'nobody' }])).toThrow(
      /not in the snapshot/,
    );
  });
});

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDataDirectory } from '../../../../../test/support/data-directory.ts';
import { applyChanges, applyNewOrganization } from '../../../src/organizations/snapshot/apply-changes.ts';
import type { LocalChange } from '../../../src/organizations/snapshot/changes.ts';
import { applyDelta, readDelta } from '../../../src/organizations/snapshot/delta.ts';
import { loadChecked } from '../../../src/organizations/snapshot/load.ts';
import { macBytes, type Snapshot } from '../../../src/organizations/snapshot/snapshot.ts';
import { openSqlite } from '../../../src/store/sqlite/open.ts';
import type { Store, StoredChanges } from '../../../src/store/store.ts';
import { openVault } from '../../../src/vault/open-vault.ts';
import { fileRootKey } from '../../../src/vault/root-key/providers/file.ts';
import type { Vault } from '../../../src/vault/vault.ts';

const dates = { createdAtMs: 1, updatedAtMs: 1 };
let directory: string;
let store: Store;
let vault: Vault;
let organizations = 0;

beforeAll(async () => {
  directory = makeDataDirectory('delta');
  store = await openSqlite({ file: join(directory, 'database.sqlite') });
  vault = await openVault({ store, rootKeys: fileRootKey(join(directory, 'root.key')), create: true });
});
afterAll(async () => {
  vault?.close();
  await store?.close();
  rmSync(directory, { recursive: true });
});

const userNamed = (id: string, userName: string): LocalChange => ({
  op: 'putRecord',
  kind: 'user',
  id,
  body: { userName, userTags: [], ...dates },
});
const load = (organizationId: string) =>
  loadChecked(store.organizations, vault.integrity, () => {}, organizationId) as Promise<Snapshot>;

async function createOrganization(changes: readonly LocalChange[]): Promise<Snapshot> {
  const organizationId = `organization-${organizations++}`;
  const profile = { name: 'Acme', parentId: null, rootQuorum: { threshold: 1, userIds: [] }, features: [], ...dates };
  const all = [{ op: 'putRecord' as const, kind: 'organization' as const, id: organizationId, body: profile }, ...changes];
  const dataKey = await vault.service.createDataKey(organizationId);
  const writes = applyNewOrganization(vault.integrity, '', { op: 'createOrganization', organizationId, dataKey, changes: all });
  await commit({ organizationId, expected: { version: 0, mac: new Uint8Array() }, writes });
  return load(organizationId);
}

let activities = 0;
async function commit(part: Pick<Parameters<Store['commit']>[0][0], 'organizationId' | 'expected' | 'head' | 'writes'>) {
  const id = `activity-${activities++}`;
  const kind = { type: 'T', status: 'ACTIVITY_STATUS_COMPLETED', body: '{}', mac: new Uint8Array(32) };
  const activity = { organizationId: part.organizationId, id, revision: 0, fingerprint: id, requestedAtMs: 0, ...kind };
  const logEntry = {
    organizationId: part.organizationId,
    activityId: id,
    revision: 0,
    format: 2,
    body: '{}',
    mac: new Uint8Array(32),
  };
  expect(await store.commit([{ ...part, activity, logEntry }])).toEqual([{ taken: true }]);
}

/** Commits changes as another process would. */
async function change(from: Snapshot, changes: readonly LocalChange[]): Promise<Snapshot> {
  const { writes, head, next } = applyChanges(vault.integrity, from, changes);
  if (head === undefined || next === undefined) throw new Error('nothing changed');
  await commit({ organizationId: from.id, expected: from.head, head, writes });
  return next;
}

const contentOf = (snapshot: Snapshot | undefined) =>
  snapshot && {
    version: snapshot.version,
    recordsSum: snapshot.recordsSum,
    keysSum: snapshot.keysSum,
    keyCounts: Object.fromEntries(Object.entries(snapshot.keyCounts).filter(([, count]) => count !== 0)),
    keys: [...snapshot.keys.keys()],
    records: Object.entries(snapshot.records).map(([kind, records]) => [kind, [...records]]),
    macs: Object.entries(snapshot.macs).map(([kind, macs]) => [kind, [...macs]]),
    policyRevisions: [...snapshot.policyRevisions],
  };

interface Step {
  readonly op: 'user' | 'removeUser' | 'policy' | 'wallet' | 'removeWallet';
  readonly at: number;
  readonly value: number;
}

const step = fc.record<Step>({
  op: fc.constantFrom('user', 'removeUser', 'policy', 'wallet', 'removeWallet'),
  at: fc.nat({ max: 4 }),
  value: fc.nat({ max: 99 }),
});

/** The changes of a step, or none if there is nothing to remove. `wallets` has the MACs of the wallets in force. */
function changesOf(snapshot: Snapshot, { op, at, value }: Step, wallets: ReadonlyMap<string, Uint8Array>): LocalChange[] {
  const id = `${at}`;
  const walletBody = { walletName: `Wallet ${value}`, exported: false, imported: false, ...dates };
  const mac = wallets.get(id);
  const previous = mac && { kind: 'wallet' as const, id, parentId: '', body: walletBody, mac };
  switch (op) {
    case 'user':
      return [userNamed(id, `User ${value}`)];
    case 'removeUser':
      return snapshot.users.has(id) ? [{ op: 'deleteRecord', kind: 'user', id }] : [];
    case 'policy': {
      const body = { policyName: id, effect: 'EFFECT_DENY' as const, condition: `${value} == 1`, notes: '', ...dates };
      return [{ op: 'putRecord', kind: 'policy', id, body: body as never }];
    }
    case 'wallet':
      return [{ op: 'putResource', kind: 'wallet', id, body: walletBody, ...(previous && { previous }) }];
    case 'removeWallet':
      return previous === undefined ? [] : [{ op: 'deleteResource', previous }];
  }
}

/** Runs steps, and returns the snapshot after each of them, the first one included. */
async function run(steps: readonly Step[]): Promise<readonly Snapshot[]> {
  const versions = [await createOrganization([userNamed('0', 'Root')])];
  const wallets = new Map<string, Uint8Array>();
  for (const one of steps) {
    const before = versions.at(-1) as Snapshot;
    const changes = changesOf(before, one, wallets);
    if (changes.length === 0) continue;
    const after = await change(before, changes);
    versions.push(after);
    if (one.op === 'removeWallet') wallets.delete(`${one.at}`);
    if (one.op === 'wallet') {
      const mac = [...after.keys.keys()].find((key) => !before.keys.has(key));
      wallets.set(`${one.at}`, macBytes(mac as string));
    }
  }
  return versions;
}

describe('what another process changed', () => {
  test('leads from every earlier version to what a full load finds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
        const versions = await run(steps);
        const whole = contentOf(await load((versions[0] as Snapshot).id));
        for (const base of versions)
          expect(contentOf(await readDelta(store.organizations, vault.integrity, base))).toEqual(whole);
      }),
      { numRuns: 40 },
    );
  });

  test('of a version that is current is that version itself', async () => {
    const base = await createOrganization([userNamed('a', 'A')]);
    expect(await readDelta(store.organizations, vault.integrity, base)).toBe(base);
  });

  test('D515: rows that were altered, added, kept back or named by other tombstones lead nowhere', async () => {
    const base = await createOrganization([userNamed('a', 'A'), userNamed('b', 'B'), userNamed('c', 'C')]);
    const middle = await change(base, [userNamed('a', 'A again'), { op: 'deleteRecord', kind: 'user', id: 'b' }]);
    const wallet = {
      op: 'putResource',
      kind: 'wallet',
      id: 'w',
      body: { walletName: 'W', exported: false, imported: false, ...dates },
    };
    const next = await change(middle, [wallet as LocalChange, userNamed('d', 'D')]);
    const stored = (await store.organizations.changes(base.id, base.version, 100)) as StoredChanges;
    expect(contentOf(applyDelta(vault.integrity, base, stored))).toEqual(contentOf(next));
    const [first, ...rest] = stored.records;
    const [key] = stored.keys;
    if (first === undefined || key === undefined) throw new Error('nothing changed');
    const mac = new Uint8Array(32).fill(7);
    const forged: readonly Partial<StoredChanges>[] = [
      { records: rest },
      { records: [{ ...first, body: first.body.replace('A', 'Z') }, ...rest] },
      { records: [{ ...first, writtenBy: first.writtenBy + 1 }, ...rest] },
      { records: [{ ...first, kind: 'policy' }, ...rest] },
      { records: [{ ...first, mac: new Uint8Array(0) }, ...rest] },
      { keys: [] },
      { keys: [key, { ...key, id: 'x', mac }] },
      { keys: [{ ...key, mac: mac.subarray(1) }] },
      { keys: [{ ...key, kind: 'user' }] },
      { tombstones: [] },
      { tombstones: [...stored.tombstones, { kind: 'user', id: 'c', mac: new Uint8Array() }] },
      { tombstones: [...stored.tombstones, { kind: 'other', id: 'c', mac: new Uint8Array() }] },
      { head: { ...stored.head, version: stored.head.version + 1 } },
      { head: { ...stored.head, mac } },
      { head: { ...stored.head, version: base.version } },
      { head: { ...stored.head, version: base.version - 1 } },
    ];
    for (const part of forged) expect(applyDelta(vault.integrity, base, { ...stored, ...part })).toBeUndefined();
    // Put back to an intermediate state, with its own head: authentic, so the log has to tell that it is not the newest.
    expect(applyDelta(vault.integrity, next, { ...stored, head: { ...stored.head, ...middle.head } })).toBeUndefined();
  });

  test('is read in full after too many changes', async () => {
    const base = await createOrganization([userNamed('a', 'A')]);
    await change(
      base,
      Array.from({ length: 600 }, (_, at) => userNamed(`u${at}`, 'U')),
    );
    expect(await readDelta(store.organizations, vault.integrity, base)).toBeUndefined();
  });
});

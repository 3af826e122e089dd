import { uuidv7 } from 'uuidv7';
import { describe, expect, test } from 'vitest';
import type { DataKeyRow, Write } from '../../../src/store/rows.ts';
import { rotationSetting, withGeneration } from '../../../src/store/sealed-bytes.ts';
import { bytes, commitOf, createOrganization, sealed } from '../rows.ts';
import type { Subject } from './describe-store.ts';

/** Data keys, their rotation, and settings. */
export function vaultSuite(subject: () => Subject): void {
  async function withKeys(rootKeyId: string, count: number): Promise<readonly DataKeyRow[]> {
    const { store } = subject();
    const keys: DataKeyRow[] = [];
    for (let index = 0; index < count; index += 1) {
      const organizationId = await createOrganization(store);
      const row = { organizationId, rootKeyId, wrapped: bytes(60), generation: 0, previous: new Uint8Array() };
      await store.commit([commitOf(organizationId, { writes: [{ op: 'put', table: 'data_keys', row }] })]);
      keys.push(row);
    }
    return keys;
  }

  describe('vault rows', () => {
    test('a rotation finds the remaining keys, rewraps them page by page, and ends', async () => {
      const { store } = subject();
      const [oldRoot, newRoot] = [uuidv7(), uuidv7()];
      const keys = await withKeys(oldRoot, 5);
      const seen: string[] = [];
      for (let afterId = ''; ; afterId = seen.at(-1) as string) {
        const left = await store.vault.dataKeysNotUnder(newRoot, 2, afterId);
        if (left.length === 0) break;
        await store.vault.replaceDataKeys(
          left.map((from) => ({ from, to: { ...from, rootKeyId: newRoot, wrapped: bytes(60) } })),
        );
        seen.push(...left.map(({ organizationId }) => organizationId));
      }
      expect(seen).toEqual(seen.toSorted());
      expect(seen).toEqual(expect.arrayContaining(keys.map(({ organizationId }) => organizationId)));
      expect(await store.vault.dataKeysNotUnder(newRoot, 10)).toEqual([]);
      for (const { organizationId } of keys) expect((await store.vault.dataKey(organizationId))?.rootKeyId).toBe(newRoot);
    });

    test('a data key is replaced only where it is stored as expected, and none is added', async () => {
      const { store } = subject();
      const [key] = (await withKeys(uuidv7(), 1)) as [DataKeyRow];
      const next = { ...key, rootKeyId: uuidv7(), wrapped: bytes(60), generation: 3, previous: bytes(60) };
      for (const field of ['rootKeyId', 'wrapped', 'generation', 'previous'] as const) {
        await store.vault.replaceDataKeys([{ from: { ...key, [field]: next[field] }, to: next }]);
        expect(await store.vault.dataKey(key.organizationId)).toStrictEqual(key);
      }
      const stranger = { ...key, organizationId: uuidv7() };
      await store.vault.replaceDataKeys([
        { from: key, to: next },
        { from: stranger, to: { ...next, organizationId: stranger.organizationId } },
      ]);
      expect(await store.vault.dataKey(key.organizationId)).toStrictEqual(next);
      expect(await store.vault.dataKey(stranger.organizationId)).toBeUndefined();
    });

    test('keys of lower generations, and those with a previous key, are listed in order', async () => {
      const { store } = subject();
      const [first, second] = (await withKeys(uuidv7(), 2)) as [DataKeyRow, DataKeyRow];
      await store.vault.replaceDataKeys([{ from: first, to: { ...first, generation: 7, previous: bytes(60) } }]);
      const ids = async (found: Promise<readonly DataKeyRow[]>) => (await found).map(({ organizationId }) => organizationId);
      expect(await ids(store.vault.dataKeysBelow(7, 1000))).toContain(second.organizationId);
      expect(await ids(store.vault.dataKeysBelow(7, 1000))).not.toContain(first.organizationId);
      expect(await ids(store.vault.dataKeysBelow(8, 1, second.organizationId))).toEqual([]);
      expect(await ids(store.vault.dataKeysInPairs(1000))).toContain(first.organizationId);
      expect(await ids(store.vault.dataKeysInPairs(1000))).not.toContain(second.organizationId);
      expect(await ids(store.vault.dataKeysInPairs(1000, first.organizationId))).toEqual([]);
    });

    test('D574: a commit with a secret of a replaced data key is rejected, and leaves nothing behind', async () => {
      const { store } = subject();
      const [key] = (await withKeys(uuidv7(), 1)) as [DataKeyRow];
      const { organizationId } = key;
      const secret = (id: string, generation: number): Write => ({
        op: 'put',
        table: 'secrets',
        row: { organizationId, id, ciphertext: withGeneration(generation, sealed(60)) },
      });
      const put = async (...writes: Write[]) => (await store.commit([commitOf(organizationId, { writes })]))[0];
      expect(await put(secret('a', 0))).toEqual({ taken: true });
      await store.vault.replaceDataKeys([{ from: key, to: { ...key, generation: 1, previous: key.wrapped } }]);
      expect(await put(secret('b', 0))).toEqual({ taken: false, reason: 'KEY_MOVED' });
      expect(await put(secret('b', 1), secret('c', 0))).toEqual({ taken: false, reason: 'KEY_MOVED' });
      for (const id of ['b', 'c']) expect(await store.secrets.get(organizationId, id)).toBeUndefined();
      expect(await put(secret('b', 1))).toEqual({ taken: true });
      expect(await put({ op: 'delete', table: 'secrets', row: { organizationId, id: 'a' } })).toEqual({ taken: true });
    });

    test('D575: a commit with a data key under a root key that is being replaced is rejected', async () => {
      const { store } = subject();
      const [from, to] = [uuidv7(), uuidv7()];
      const organizationId = await createOrganization(store);
      const put = async (rootKeyId: string) => {
        const row = { organizationId, rootKeyId, wrapped: bytes(60), generation: 0, previous: new Uint8Array() };
        return (await store.commit([commitOf(organizationId, { writes: [{ op: 'put', table: 'data_keys', row }] })]))[0];
      };
      const setting = { name: rotationSetting(from), body: 'first' };
      expect(await store.vault.settingAfterCommits(setting)).toEqual(setting);
      expect(await store.vault.settingAfterCommits({ ...setting, body: 'second' })).toEqual(setting);
      expect(await put(from)).toEqual({ taken: false, reason: 'KEY_MOVED' });
      expect(await store.vault.dataKey(organizationId)).toBeUndefined();
      expect(await put(to)).toEqual({ taken: true });
    });

    test('a message of a replaced data key is not added to the outbox', async () => {
      const { store } = subject();
      const [key] = (await withKeys(uuidv7(), 1)) as [DataKeyRow];
      await store.vault.replaceDataKeys([{ from: key, to: { ...key, generation: 1 } }]);
      const message = {
        organizationId: key.organizationId,
        state: 'kept',
        dueAtMs: 1,
        expiresAtMs: 2,
        attempts: 0,
        fault: '',
      } as const;
      expect(await store.outbox.add({ ...message, id: uuidv7(), ciphertext: sealed(60).fill(1, 0, 1) })).toBe(false);
      expect(await store.outbox.add({ ...message, id: uuidv7(), ciphertext: withGeneration(1, bytes(60)) })).toBe(true);
    });

    test('a named lock has many shared holders or an exclusive one, in all processes', async () => {
      const { store, installation } = subject();
      const other = await installation.open();
      const name = `lock-${uuidv7()}`;
      const first = await store.tryNamedLock(name, 'shared');
      const second = await other.tryNamedLock(name, 'shared');
      expect(await other.tryNamedLock(name, 'exclusive')).toBeUndefined();
      expect(await other.tryNamedLock(`${name}-2`, 'exclusive')).toBeDefined();
      await first?.();
      expect(await store.tryNamedLock(name, 'exclusive')).toBeUndefined();
      await second?.();
      const exclusive = await store.tryNamedLock(name, 'exclusive');
      expect(await other.tryNamedLock(name, 'shared')).toBeUndefined();
      await exclusive?.(true);
      const again = await other.tryNamedLock(name, 'shared');
      expect(again).toBeDefined();
      // A lock ends with its store.
      await other.close();
      await (await store.tryNamedLock(name, 'exclusive'))?.(true);
    });

    test('a setting is written once, and every writer gets the stored one', async () => {
      const { store, installation } = subject();
      const other = await installation.open();
      const name = `setting-${uuidv7()}`;
      expect(await store.vault.setting(name)).toBeUndefined();
      const bodies = Array.from({ length: 10 }, (_, index) => `{"node":${index}}`);
      const given = await Promise.all(bodies.map((body, index) => (index % 2 ? store : other).vault.settingOnce({ name, body })));
      expect(new Set(given.map(({ body }) => body)).size).toBe(1);
      expect(await store.vault.setting(name)).toStrictEqual(given[0]);
      await other.close();
    });

    test('a setting is replaced only where it is what was expected, and of many replacements at once one is made', async () => {
      const { store, installation } = subject();
      const name = `mark-${uuidv7()}`;
      expect(await store.vault.replaceSetting({ name, body: 'b' }, 'a')).toBe(false);
      expect(await store.vault.setting(name)).toBeUndefined();
      expect(await store.vault.replaceSetting({ name, body: 'a' }, undefined)).toBe(true);
      expect(await store.vault.replaceSetting({ name, body: 'b' }, undefined)).toBe(false);
      expect(await store.vault.setting(name)).toStrictEqual({ name, body: 'a' });

      const other = await installation.open();
      const bodies = Array.from({ length: 10 }, (_, index) => `b${index}`);
      const replace = (body: string, index: number) => (index % 2 ? store : other).vault.replaceSetting({ name, body }, 'a');
      const made = await Promise.all(bodies.map(replace));
      expect(made.filter(Boolean)).toHaveLength(1);
      expect(await other.vault.setting(name)).toStrictEqual({ name, body: bodies[made.indexOf(true)] });
      await other.close();
    });
  });
}

import { uuidv7 } from 'uuidv7';
import { describe, expect, test } from 'vitest';
import type { DataKeyRow } from '../../../src/store/rows.ts';
import { bytes, commitOf, createOrganization } from '../rows.ts';
import type { Subject } from './describe-store.ts';

/** Data keys, their rotation, and settings. */
export function vaultSuite(subject: () => Subject): void {
  async function withKeys(rootKeyId: string, count: number): Promise<readonly DataKeyRow[]> {
    const { store } = subject();
    const keys: DataKeyRow[] = [];
    for (let index = 0; index < count; index += 1) {
      const organizationId = await createOrganization(store);
      const row = { organizationId, rootKeyId, wrapped: bytes(60) };
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
        await store.vault.rewrap(left.map((key) => ({ ...key, rootKeyId: newRoot, wrapped: bytes(60) })));
        seen.push(...left.map(({ organizationId }) => organizationId));
      }
      expect(seen).toEqual(seen.toSorted());
      expect(seen).toEqual(expect.arrayContaining(keys.map(({ organizationId }) => organizationId)));
      expect(await store.vault.dataKeysNotUnder(newRoot, 10)).toEqual([]);
      for (const { organizationId } of keys) expect((await store.vault.dataKey(organizationId))?.rootKeyId).toBe(newRoot);
    });

    test('rewrapping replaces stored keys, adds none, and stores the setting with them', async () => {
      const { store } = subject();
      const [key] = (await withKeys(uuidv7(), 1)) as [DataKeyRow];
      const name = `setting-${uuidv7()}`;
      const next = { ...key, rootKeyId: uuidv7(), wrapped: bytes(60) };
      const stranger = { ...next, organizationId: uuidv7() };
      for (const body of ['one', 'two']) {
        await store.vault.rewrap([next, stranger], { name, body });
        expect(await store.vault.setting(name)).toStrictEqual({ name, body });
      }
      expect(await store.vault.dataKey(key.organizationId)).toStrictEqual(next);
      expect(await store.vault.dataKey(stranger.organizationId)).toBeUndefined();
      await store.vault.rewrap([], { name, body: 'three' });
      expect((await store.vault.setting(name))?.body).toBe('three');
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

import { describe, expect, test } from 'vitest';
import type { CopiedRows, Store } from '../../../src/store/store.ts';
import { activityRow, bytes, commitOf, createOrganization, logEntryOf, lookupRow } from '../rows.ts';
import type { Subject } from './describe-store.ts';

async function copyOf(store: Store): Promise<CopiedRows[]> {
  const parts: CopiedRows[] = [];
  for await (const part of store.copy.read()) parts.push(part);
  return parts;
}

const rowsOf = (parts: readonly CopiedRows[], name: string) =>
  parts.filter(({ table }) => table.name === name).flatMap(({ rows }) => rows);

/** A copy holds every row, as of one instant. */
export function copySuite(subject: () => Subject): void {
  describe('copy', () => {
    test('every row is in it, with the values that were put', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const activity = activityRow(organizationId, { body: JSON.stringify({ text: 'naïve \\u0000 ✓' }) });
      const lookup = lookupRow(organizationId, { value: 'a\u0000b\u0001c' });
      await store.commit([
        commitOf(organizationId, {
          activity,
          logEntry: logEntryOf(activity),
          writes: [{ op: 'put', table: 'lookups', row: lookup }],
        }),
      ]);
      const parts = await copyOf(store);
      const { organizationId: owner, id, revision, fingerprint, requestedAtMs, type, status, mac, body } = activity;
      const stored = rowsOf(parts, 'activities').find((row) => row[1] === id);
      expect(stored?.map((value) => (value instanceof Uint8Array ? new Uint8Array(value) : value))).toEqual([
        owner,
        id,
        revision,
        fingerprint,
        requestedAtMs,
        type,
        status,
        mac,
        body,
        new Uint8Array(),
      ]);
      expect(rowsOf(parts, 'lookups').filter((row) => row[0] === organizationId)).toHaveLength(1);
      expect(rowsOf(parts, 'log_queue').filter((row) => row[1] === organizationId)).toHaveLength(1);
      expect(parts.reduce((sum, { rows }) => sum + rows.length, 0)).toBe(await store.copy.count());
    });

    test('what is committed while it is read is not in it', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const parts: CopiedRows[] = [];
      const late = activityRow(organizationId);
      for await (const part of store.copy.read()) {
        if (parts.length === 0)
          expect(await store.commit([commitOf(organizationId, { activity: late })])).toEqual([{ taken: true }]);
        parts.push(part);
      }
      expect(rowsOf(parts, 'activities').some((row) => row[1] === late.id)).toBe(false);
      expect(await store.activities.get(organizationId, late.id)).toBeDefined();
    });

    test('maintenance is stored as a whole or not at all, and sees what it has put', async () => {
      const { store } = subject();
      const name = `test.${Buffer.from(bytes(8)).toString('hex')}`;
      const failing = store.maintain(async (maintenance) => {
        await maintenance.putSetting(name, 'one');
        expect(await maintenance.store.vault.setting(name)).toEqual({ name, body: 'one' });
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      expect(await store.vault.setting(name)).toBeUndefined();
      await store.maintain(({ putSetting }) => putSetting(name, 'two'));
      expect(await store.vault.setting(name)).toEqual({ name, body: 'two' });
      await store.maintain(({ putSetting }) => putSetting(name, undefined));
      expect(await store.vault.setting(name)).toBeUndefined();
      expect(await store.copy.isEmpty([])).toBe(false);
    });
  });

  describe('archive', () => {
    async function ended(store: Store, organizationId: string) {
      const activity = activityRow(organizationId);
      await store.commit([commitOf(organizationId, { activity })]);
      const { id: activityId, revision, fingerprint, mac: activityMac } = activity;
      return {
        activity,
        mark: { organizationId, activityId, revision, fingerprint, archive: 'a.jsonl', activityMac, mac: bytes() },
      };
    }
    const file = () => ({ name: 'a.jsonl', body: '{}', mac: bytes() });

    test('an ended activity leaves with its mark, and not without', async () => {
      const { store, installation } = subject();
      const organizationId = await createOrganization(store);
      const { activity, mark } = await ended(store, organizationId);
      await expect(installation.execute(`DELETE FROM activities WHERE id = '${activity.id}'`)).rejects.toThrow('final');
      expect((await store.archive.ended(organizationId, '', 'z', 10)).at(-1)).toEqual(activity);
      expect(await store.archive.ended(organizationId, '', activity.id, 10)).not.toContainEqual(activity);
      expect(await store.archive.move(file(), { marks: [mark], leaves: [], spans: [] })).toBe(true);
      expect(await store.activities.get(organizationId, activity.id)).toBeUndefined();
      expect(await store.archive.get(organizationId, activity.id)).toEqual(mark);
      expect(await store.archive.byFingerprint(organizationId, activity.fingerprint)).toEqual(mark);
      expect(await store.archive.scan(organizationId, '', 10)).toEqual([mark]);
      expect((await store.archive.files()).map(({ name }) => name)).toContain('a.jsonl');
    });

    test('nothing is moved where a row is not what its mark says', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const one = await ended(store, organizationId);
      const two = await ended(store, organizationId);
      const other = { ...two.mark, activityMac: bytes() };
      expect(await store.archive.move(file(), { marks: [one.mark, other], leaves: [], spans: [] })).toBe(false);
      expect(await store.archive.scan(organizationId, '', 10)).toEqual([]);
      expect(await store.activities.get(organizationId, one.activity.id)).toEqual(one.activity);
    });

    test('a mark that names another row does not open the way to delete one', async () => {
      const { store, installation } = subject();
      const organizationId = await createOrganization(store);
      const { activity } = await ended(store, organizationId);
      await installation.execute(
        `INSERT INTO archived SELECT organization_id, id, revision, fingerprint, 'x', ${installation.hex('00')}, ${installation.hex('00')} FROM activities WHERE id = '${activity.id}'`,
      );
      await expect(installation.execute(`DELETE FROM activities WHERE id = '${activity.id}'`)).rejects.toThrow('final');
    });
  });
}

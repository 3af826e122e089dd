import { expect, test } from 'vitest';
import { openStore } from '../../../packages/server/src/store/open-store.ts';
import type { Store } from '../../../packages/server/src/store/store.ts';
import { sealStoredRows } from '../../../packages/server/src/vault/at-rest/seal-stored-rows.ts';
import { openVaultFor } from '../../../packages/server/src/vault/open-vault-for.ts';
import { newApiKey } from '../../support/api-key.ts';
import { describeEngines, type Subject } from '../../support/describe-engines.ts';
import { bodyOf } from '../../support/packed-rows.ts';
import type { RawDatabase } from '../../support/raw-database.ts';
import { startService } from '../../support/service.ts';
import { subOrganizationParams } from '../../support/world.ts';
import { Needles } from './needles.ts';

/** Stores the rows of the service in plain, as an earlier release did. */
async function storePlainly({ service, raw }: Subject, lookups: Readonly<Record<string, string>>): Promise<void> {
  const { atRest } = service.services.vault;
  await raw.dropGuards();
  for (const row of await raw.all('SELECT id, body, packed FROM activities'))
    await raw.run('UPDATE activities SET body = ?, packed = ? WHERE id = ?', bodyOf(row), new Uint8Array(), String(row.id));
  for (const [table, key] of [
    ['records', ['organization_id', 'kind', 'id']],
    ['activities', ['organization_id', 'id']],
  ] as const) {
    for (const row of await raw.all(`SELECT ${key.join(', ')}, body FROM ${table}`)) {
      const values = key.map((column) => String(row[column]));
      const [organizationId = '', ...rest] = values;
      const body = atRest.open({ organizationId, key: [table, ...rest] }, String(row.body));
      await raw.run(`UPDATE ${table} SET body = ? WHERE ${key.map((column) => `${column} = ?`).join(' AND ')}`, body, ...values);
    }
  }
  for (const [kind, value] of Object.entries(lookups)) await raw.run('UPDATE lookups SET value = ? WHERE kind = ?', value, kind);
  await raw.run("DELETE FROM settings WHERE name = 'vault.at-rest'");
}

const plainRows = async (raw: RawDatabase) =>
  (await raw.all("SELECT kind FROM records WHERE kind IN ('user', 'organization') AND body LIKE '{%'")).length;

describeEngines('contacts of an earlier release', (subject) => {
  const needles = new Needles();

  async function createEarlier() {
    const { service } = subject();
    const [userEmail, userPhoneNumber] = [needles.email(), needles.phone()];
    const params = subOrganizationParams(newApiKey());
    const rootUsers = params.rootUsers.map((user) => ({ ...user, userEmail, userPhoneNumber }));
    const { subOrganizationId } = await service.root.result('createSubOrganization', { ...params, rootUsers });
    await storePlainly(subject(), { 'suborg.EMAIL': userEmail.toLowerCase(), 'suborg.PHONE_NUMBER': userPhoneNumber });
    return { userEmail, subOrganizationId };
  }

  async function withDatabase(work: (store: Store) => Promise<void>): Promise<void> {
    const store = await openStore(subject().installation.config);
    try {
      await work(store);
    } finally {
      await store.close();
    }
  }

  test('D334: a killed encryption of rows that were stored in plain is continued at the next startup, and nothing plain is left', async () => {
    const { raw, installation } = subject();
    const { userEmail, subOrganizationId } = await createEarlier();
    expect(needles.foundIn(await raw.dump())).toHaveLength(2);
    await withDatabase(async (store) => {
      const vault = await openVaultFor(installation.config, store);
      const broken = {
        ...store,
        recode: {
          ...store.recode,
          replace: async (...args: Parameters<Store['recode']['replace']>) => {
            if (args[0].name === 'activities') throw new Error('killed');
            await store.recode.replace(...args);
          },
        },
      };
      await expect(sealStoredRows(broken, vault.atRest, () => {})).rejects.toThrow('killed');
      vault.close();
    });
    expect(await plainRows(raw)).toBe(0);
    expect(needles.foundIn(await raw.dump())).not.toEqual([]);
    const restarted = await startService(installation);
    try {
      expect(needles.foundIn(await raw.dump())).toEqual([]);
      const { organizationIds } = await restarted.root.data('listSuborgs', { filterType: 'EMAIL', filterValue: userEmail });
      expect(organizationIds).toEqual([subOrganizationId]);
      const { users } = await restarted.root.with({ organizationId: subOrganizationId }).data('listUsers', {});
      expect(users[0]).toMatchObject({ userEmail });
      expect(restarted.alarms()).toEqual([]);
    } finally {
      await restarted.close();
    }
  });

  test('D334: an edited record of the progress, or a full disk while files are rewritten, does not prevent a startup', async () => {
    const { raw, installation } = subject();
    await createEarlier();
    await raw.run("INSERT INTO settings (name, body) VALUES ('vault.at-rest', '{')");
    const reports: string[] = [];
    await withDatabase(async (store) => {
      const vault = await openVaultFor(installation.config, store);
      const scrub = () => Promise.reject(new Error('database or disk is full'));
      await sealStoredRows({ ...store, recode: { ...store.recode, scrub } }, vault.atRest, (text) => reports.push(text));
      vault.close();
    });
    expect(reports.at(-1)).toContain('database or disk is full');
    expect(await plainRows(raw)).toBe(0);
    await (await startService(installation)).close();
    expect(needles.foundIn(await raw.dump())).toEqual([]);
    expect(await raw.all("SELECT body FROM settings WHERE name = 'vault.at-rest'")).toEqual([
      { body: expect.stringContaining('"done":true') },
    ]);
  });
});

import type { Store } from '../store.ts';
import { putInto } from '../table.ts';
import { settings } from '../tables.ts';
import type { Database } from './driver.ts';
import { createTransaction } from './transaction.ts';

/** Writes of the vault outside of activities: rewrapped data keys and settings. */
export function createVaultWriters(
  db: Database,
  run: <T>(work: () => T) => Promise<T>,
): Pick<Store['vault'], 'rewrap' | 'settingOnce'> {
  const transaction = createTransaction(db);
  const updateKey = db.prepare('UPDATE data_keys SET root_key_id = ?, wrapped = ? WHERE organization_id = ?');
  const putSetting = db.prepare(putInto(settings, 'VALUES (?, ?)'));
  const addSetting = db.prepare(`INSERT INTO settings (${settings.list}) VALUES (?, ?) ON CONFLICT (name) DO NOTHING`);
  const selectBody = db.prepare('SELECT body FROM settings WHERE name = ?');

  return {
    rewrap: (keys, setting) =>
      run(() =>
        transaction(() => {
          for (const key of keys) updateKey.run(key.rootKeyId, key.wrapped, key.organizationId);
          if (setting !== undefined) putSetting.run(...settings.encode(setting));
        }),
      ),
    settingOnce: ({ name, body }) =>
      run(() => {
        const { isNew, setting } = transaction(() => {
          const isNew = addSetting.run(name, body) === 1;
          return { isNew, setting: { name, body: String(selectBody.value(name)) } };
        });
        // Write the few settings of an installation to the database file immediately, so that even a copy without the write-ahead log
        // identifies its installation.
        if (isNew) db.pragma('wal_checkpoint(PASSIVE)');
        return setting;
      }),
  };
}

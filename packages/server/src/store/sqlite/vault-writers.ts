import type { Store } from '../store.ts';
import { settings } from '../tables.ts';
import type { Database, Statement } from './driver.ts';
import { createTransaction } from './transaction.ts';

const UPDATE_KEY = `UPDATE data_keys SET root_key_id = ?, wrapped = ?, generation = ?, previous = ?
  WHERE organization_id = ? AND root_key_id = ? AND wrapped = ? AND generation = ? AND previous = ?`;

/** Writes of the vault outside of activities: replaced data keys and settings. */
export function createVaultWriters(
  db: Database,
  run: <T>(work: () => T) => Promise<T>,
): Pick<Store['vault'], 'replaceDataKeys' | 'settingOnce' | 'settingAfterCommits'> {
  const transaction = createTransaction(db);
  // Prepared on first use, because an earlier schema lacks columns.
  let updateKey: Statement | undefined;
  const addSetting = db.prepare(`INSERT INTO settings (${settings.list}) VALUES (?, ?) ON CONFLICT (name) DO NOTHING`);
  const selectBody = db.prepare('SELECT body FROM settings WHERE name = ?');

  const settingOnce: Store['vault']['settingOnce'] = ({ name, body }) =>
    run(() => {
      const { isNew, setting } = transaction(() => {
        const isNew = addSetting.run(name, body) === 1;
        return { isNew, setting: { name, body: String(selectBody.value(name)) } };
      });
      // Write the few settings of an installation to the database file immediately, so that even a copy without the write-ahead log
      // identifies its installation.
      if (isNew) db.pragma('wal_checkpoint(PASSIVE)');
      return setting;
    });

  return {
    settingOnce,
    // One process writes at a time, so commits are before or after it.
    settingAfterCommits: settingOnce,
    replaceDataKeys: (keys) =>
      run(() =>
        transaction(() => {
          updateKey ??= db.prepare(UPDATE_KEY);
          for (const { from, to } of keys) {
            const next = [to.rootKeyId, to.wrapped, to.generation, to.previous];
            updateKey.run(...next, from.organizationId, from.rootKeyId, from.wrapped, from.generation, from.previous);
          }
        }),
      ),
  };
}

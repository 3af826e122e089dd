import type pg from 'pg';
import type { SettingRow } from '../rows.ts';
import type { Store } from '../store.ts';
import { dataKeys, settings } from '../tables.ts';
import { type Execute, transaction, withSession } from './session.ts';
import { toStored } from './text.ts';
import { toArrays, unnest } from './unnest.ts';

const { columns } = dataKeys;
const names = columns.map(({ name }) => name);
const values = columns.slice(dataKeys.key.length).map(({ name }) => name);
const updateKeys = `UPDATE data_keys SET ${values.map((name) => `${name} = new.${name}`).join(', ')}
  FROM ${unnest([...columns, ...columns])} AS new (${names.map((name) => `old_${name}`).join(', ')}, ${names.join(', ')})
  WHERE ${names.map((name) => `data_keys.${name} = new.old_${name}`).join(' AND ')}`;
const addSetting = `INSERT INTO settings (${settings.list}) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`;
const selectSetting = 'SELECT body FROM settings WHERE name = $1';

/** Writes of the vault outside of activities: replaced data keys and settings. */
export function createVaultWriters(
  pool: pg.Pool,
): Pick<Store['vault'], 'replaceDataKeys' | 'settingOnce' | 'settingAfterCommits'> {
  async function once(execute: Execute, { name, body }: SettingRow): Promise<SettingRow> {
    await execute('add_setting', addSetting, [toStored(name), toStored(body)]);
    // A new statement sees the row that another node has just committed under this name.
    const [row] = await execute('select_setting', selectSetting, [toStored(name)]);
    return { name, body: String(row?.body) };
  }

  return {
    replaceDataKeys: (keys) =>
      withSession(pool, (session) =>
        transaction(session, async (execute) => {
          const rows = keys.map(({ from, to }) => [...dataKeys.encode(from), ...dataKeys.encode(to)]);
          await execute('update_keys', updateKeys, toArrays([...columns, ...columns], rows));
        }),
      ),
    settingOnce: (setting) => withSession(pool, (session) => transaction(session, (execute) => once(execute, setting))),
    settingAfterCommits: (setting) =>
      withSession(pool, (session) =>
        transaction(session, async (execute) => {
          // INVARIANT: a commit that has read settings holds a lock on the table until it ends.
          await execute('', 'LOCK TABLE settings IN ACCESS EXCLUSIVE MODE', []);
          return once(execute, setting);
        }),
      ),
  };
}

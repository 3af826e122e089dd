import type pg from 'pg';
import type { Store } from '../store.ts';
import { putInto } from '../table.ts';
import { dataKeys, settings } from '../tables.ts';
import { transaction, withSession } from './session.ts';
import { toStored } from './text.ts';
import { toArrays, unnest } from './unnest.ts';

const updateKeys = `UPDATE data_keys SET root_key_id = new.root_key_id, wrapped = new.wrapped
  FROM ${unnest(dataKeys.columns)} AS new (${dataKeys.list})
  WHERE data_keys.organization_id = new.organization_id`;
const putSetting = putInto(settings, 'VALUES ($1, $2)');
const addSetting = `INSERT INTO settings (${settings.list}) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`;
const selectSetting = 'SELECT body FROM settings WHERE name = $1';

/** Writes of the vault outside of activities: rewrapped data keys and settings. */
export function createVaultWriters(pool: pg.Pool): Pick<Store['vault'], 'rewrap' | 'settingOnce'> {
  return {
    rewrap: (keys, setting) =>
      withSession(pool, (session) =>
        transaction(session, async (execute) => {
          await execute('update_keys', updateKeys, toArrays(dataKeys.columns, keys.map(dataKeys.encode)));
          if (setting !== undefined) await execute('put_setting', putSetting, [toStored(setting.name), toStored(setting.body)]);
        }),
      ),
    settingOnce: ({ name, body }) =>
      withSession(pool, (session) =>
        transaction(session, async (execute) => {
          await execute('add_setting', addSetting, [toStored(name), toStored(body)]);
          // A new statement sees the row that another node has just committed under this name.
          const [row] = await execute('select_setting', selectSetting, [toStored(name)]);
          return { name, body: String(row?.body) };
        }),
      ),
  };
}

import type pg from 'pg';
import type { Store } from '../store.ts';
import { transaction, withSession } from './session.ts';
import { toStored } from './text.ts';

const updateKeys = `UPDATE data_keys SET root_key_id = new.root_key_id, wrapped = new.wrapped
  FROM unnest($1::text[], $2::text[], $3::bytea[]) AS new (organization_id, root_key_id, wrapped)
  WHERE data_keys.organization_id = new.organization_id`;
const putSetting = 'INSERT INTO settings (name, body) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET body = excluded.body';
const addSetting = 'INSERT INTO settings (name, body) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING';
const selectSetting = 'SELECT body FROM settings WHERE name = $1';

/** The vault's own writes, which are no activities: rewrapped data keys and settings. */
export function createVaultWriters(pool: pg.Pool): Pick<Store['vault'], 'rewrap' | 'settingOnce'> {
  return {
    rewrap: (keys, setting) =>
      withSession(pool, (session) =>
        transaction(session, async (execute) => {
          const ids = keys.map((key) => toStored(key.organizationId));
          const roots = keys.map((key) => toStored(key.rootKeyId));
          await execute('update_keys', updateKeys, [ids, roots, keys.map((key) => key.wrapped)]);
          if (setting !== undefined) await execute('put_setting', putSetting, [toStored(setting.name), toStored(setting.body)]);
        }),
      ),
    settingOnce: ({ name, body }) =>
      withSession(pool, (session) =>
        transaction(session, async (execute) => {
          await execute('add_setting', addSetting, [toStored(name), toStored(body)]);
          // A new snapshot: it sees the row that another node has just committed under this name.
          const [row] = await execute('select_setting', selectSetting, [toStored(name)]);
          return { name, body: String(row?.body) };
        }),
      ),
  };
}

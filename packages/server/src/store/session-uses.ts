import { defineStatement, type Read, type Statement } from './statement.ts';
import type { Store } from './store.ts';
import { sessionUses } from './tables.ts';

/** Rows of one statement. */
export const MOST_SESSION_USES = 20;

const columns = sessionUses.columns.map(() => '?').join(', ');

/** `adds[n]` stores n rows. SECURITY: D1022: nodes that see the same session do not write more often than one node does. */
const adds: readonly Statement[] = Array.from({ length: MOST_SESSION_USES + 1 }, (_, count) =>
  defineStatement(
    `session_uses_add_${count}`,
    `INSERT INTO session_uses (${sessionUses.list}) VALUES ${Array.from({ length: count }, () => `(${columns})`).join(', ')}
     ON CONFLICT (organization_id, user_id, id, kind) DO UPDATE SET
       at_ms = excluded.at_ms, expires_at_ms = excluded.expires_at_ms, body = excluded.body, mac = excluded.mac
     WHERE excluded.kind = 'used' AND excluded.at_ms - session_uses.at_ms >= ? RETURNING id`,
  ),
);
const ofUser = defineStatement(
  'session_uses_of_user',
  `SELECT ${sessionUses.list} FROM session_uses WHERE organization_id = ? AND user_id = ? AND id >= ? AND id <= ? LIMIT 2000`,
);
const remove = defineStatement(
  'session_uses_remove',
  'DELETE FROM session_uses WHERE organization_id = ? AND user_id = ? AND id = ? RETURNING id',
);
const sweep = defineStatement('session_uses_sweep', 'DELETE FROM session_uses WHERE expires_at_ms < ? RETURNING id');

/** Uses of sessions, shared by both engines. */
export function createSessionUses(read: Read): Store['sessionUses'] {
  return {
    async add(rows, everyMs) {
      const statement = adds[rows.length];
      if (statement === undefined) throw new RangeError(`at most ${MOST_SESSION_USES} rows at once`);
      if (rows.length > 0) await read(statement, [...rows.flatMap(sessionUses.encode), everyMs]);
    },
    of: async (organizationId, userId, sessionId) =>
      (await read(ofUser, [organizationId, userId, sessionId ?? '', sessionId ?? '~'])).map(sessionUses.decode),
    remove: async (organizationId, userId, sessionId) => void (await read(remove, [organizationId, userId, sessionId])),
    sweep: async (beforeMs) => void (await read(sweep, [beforeMs])),
  };
}

import { toInteger } from './columns.ts';
import { defineStatement, type Read } from './statement.ts';
import type { Store } from './store.ts';
import { outbox } from './tables.ts';

const facts = outbox.select('organizationId', 'id', 'state', 'dueAtMs', 'expiresAtMs', 'attempts', 'fault');
/** INVARIANT: only the newest attempt may settle a message, and only once. */
const claimed = "organization_id = ? AND id = ? AND attempts = ? AND state = 'waiting'";

const remove = defineStatement('outbox_remove', `DELETE FROM outbox WHERE ${claimed} RETURNING id`);
const change = defineStatement(
  'outbox_change',
  `UPDATE outbox SET state = ?, due_at_ms = ?, fault = ? WHERE ${claimed} RETURNING id`,
);
const nextDue = defineStatement(
  'outbox_next_due',
  "SELECT due_at_ms FROM outbox WHERE state = 'waiting' ORDER BY due_at_ms LIMIT 1",
);
const dropExpired = defineStatement(
  'outbox_drop_expired',
  `DELETE FROM outbox WHERE state <> 'kept' AND expires_at_ms <= ? RETURNING ${facts.list}`,
);
const list = defineStatement(
  'outbox_list',
  `SELECT ${outbox.list} FROM outbox WHERE state = ? ORDER BY due_at_ms DESC, id DESC LIMIT ?`,
);
const trimKept = defineStatement(
  'outbox_trim',
  `DELETE FROM outbox WHERE state = 'kept' AND (organization_id, id) NOT IN
     (SELECT organization_id, id FROM outbox WHERE state = 'kept' ORDER BY due_at_ms DESC, id DESC LIMIT ?) RETURNING id`,
);

/** The delivering half of the outbox. `locking` is what the engine needs so that nodes that ask at once step over each other's rows. */
export function createOutbox(read: Read, locking: '' | 'FOR UPDATE SKIP LOCKED'): Store['outbox'] {
  // Materialized: PostgreSQL must not run the part that locks more than once.
  const claim = defineStatement(
    'outbox_claim',
    `WITH due (due_organization, due_id) AS MATERIALIZED
       (SELECT organization_id, id FROM outbox WHERE state = 'waiting' AND due_at_ms <= ? ORDER BY due_at_ms LIMIT ? ${locking})
     UPDATE outbox SET due_at_ms = ?, attempts = attempts + 1 FROM due WHERE organization_id = due_organization AND id = due_id
     RETURNING ${outbox.list}`,
  );

  return {
    async claim(nowMs, leaseMs, limit) {
      const rows = (await read(claim, [nowMs, limit, nowMs + leaseMs])).map(outbox.decode);
      // RETURNING keeps no order; ids follow the time at which messages were made.
      return rows.sort((a, b) => (a.id < b.id ? -1 : 1));
    },
    async settle({ organizationId, id, attempts }, outcome) {
      const key = [organizationId, id, attempts];
      const settled = outcome.delivered
        ? await read(remove, key)
        : await read(change, [outcome.state, outcome.dueAtMs, outcome.fault, ...key]);
      return settled.length === 1;
    },
    async nextDueMs() {
      const [row] = await read(nextDue, []);
      return row === undefined ? undefined : toInteger(row, 'due_at_ms');
    },
    dropExpired: async (nowMs) => (await read(dropExpired, [nowMs])).map(facts.decode),
    list: async (state, limit) => (await read(list, [state, limit])).map(outbox.decode),
    trimKept: async (newest) => void (await read(trimKept, [newest])),
  };
}

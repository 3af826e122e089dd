import type { OutboxRow } from './rows.ts';
import { generationOf } from './sealed-bytes.ts';
import { defineStatement, type Read } from './statement.ts';
import type { Store } from './store.ts';
import { toInteger, toText } from './table.ts';
import { outbox } from './tables.ts';

const facts = outbox.select('organizationId', 'id', 'state', 'dueAtMs', 'expiresAtMs', 'attempts', 'fault');
/** INVARIANT: only the newest attempt may settle a message, and only once. */
const claimed = "organization_id = ? AND id = ? AND attempts = ? AND state = 'waiting'";

const add = defineStatement(
  'outbox_add',
  `INSERT INTO outbox (${outbox.list}) VALUES (${outbox.columns.map(() => '?').join(', ')}) ON CONFLICT DO NOTHING RETURNING id`,
);
const generation = defineStatement('outbox_generation', 'SELECT generation FROM data_keys WHERE organization_id = ?');
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

const waitingAndDue = "state = 'waiting' AND due_at_ms <= ?";
/**
 * Steps from organization to organization along the index, up to a number of steps. The cost does not depend on the length of each queue.
 */
const dueOrganizations = defineStatement(
  'outbox_due_organizations',
  `WITH RECURSIVE found (id, steps) AS (
     SELECT (SELECT organization_id FROM outbox WHERE ${waitingAndDue} AND organization_id > ? ORDER BY organization_id LIMIT 1), 1
     UNION ALL SELECT
       (SELECT organization_id FROM outbox WHERE ${waitingAndDue} AND organization_id > found.id ORDER BY organization_id LIMIT 1),
       found.steps + 1
     FROM found WHERE found.id IS NOT NULL AND found.steps < ?
   )
   SELECT id FROM found WHERE id IS NOT NULL ORDER BY id`,
);

/** Delivery of outbox messages. `locking` is the clause that makes concurrent nodes skip each other's rows. */
export function createOutbox(read: Read, locking: '' | 'FOR UPDATE SKIP LOCKED'): Store['outbox'] {
  const oldestOfOne = `SELECT * FROM
    (SELECT organization_id, id FROM outbox WHERE ${waitingAndDue} AND organization_id = ? ORDER BY due_at_ms LIMIT ? ${locking}) AS one`;
  // MATERIALIZED: PostgreSQL must run the locking part only once.
  const claimFrom = (organizations: number) => ({
    sql: `WITH due (due_organization, due_id) AS MATERIALIZED (${Array(organizations).fill(oldestOfOne).join(' UNION ALL ')})
     UPDATE outbox SET due_at_ms = ?, attempts = attempts + 1 FROM due WHERE organization_id = due_organization AND id = due_id
     RETURNING ${outbox.list}`,
  });

  /** Organizations with due messages in id order, starting after `after` and wrapping around. */
  async function inTurn(nowMs: number, limit: number, after: string): Promise<string[]> {
    const from = async (start: string) =>
      (await read(dueOrganizations, [nowMs, start, nowMs, limit])).map((row) => toText(row, 'id'));
    const later = await from(after);
    if (after === '' || later.length === limit) return later;
    return [...later, ...(await from('')).filter((id) => id <= after)].slice(0, limit);
  }

  return {
    async claim(nowMs, leaseMs, limit, afterOrganizationId = '') {
      const organizations = await inTurn(nowMs, limit, afterOrganizationId);
      if (organizations.length === 0) return [];
      const share = Math.floor(limit / organizations.length);
      const which = organizations.flatMap((organizationId) => [nowMs, organizationId, share]);
      const rows = (await read(claimFrom(organizations.length), [...which, nowMs + leaseMs])).map(outbox.decode);
      // RETURNING has no defined order. Sort by the order of the organizations, then by id, which follows creation time.
      const turn = new Map(organizations.map((organizationId, index) => [organizationId, index]));
      const turnOf = ({ organizationId }: OutboxRow) => turn.get(organizationId) ?? 0;
      return rows.sort((a, b) => turnOf(a) - turnOf(b) || (a.id < b.id ? -1 : 1));
    },
    async add(message) {
      const { organizationId, ciphertext } = message;
      const [key] = await read(generation, [organizationId]);
      // A rotation that replaces the key between these statements waits before its last pass, and finds the message then.
      if (key !== undefined && toInteger(key, 'generation') !== generationOf(ciphertext)) return false;
      await read(add, outbox.encode(message));
      return true;
    },
    async finish({ organizationId, id, attempts }, outcome) {
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

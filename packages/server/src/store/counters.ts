import { defineStatement, type Read } from './statement.ts';
import type { Store } from './store.ts';
import { toInteger } from './table.ts';

export const DAY_MS = 24 * 60 * 60 * 1000;

/** Day number of a counter, in UTC. */
export function dayOf(nowMs: number): number {
  return Math.floor(nowMs / DAY_MS);
}

const add = defineStatement(
  'counters_add',
  `INSERT INTO counters (organization_id, name, day, amount) VALUES (?, ?, ?, ?)
   ON CONFLICT (organization_id, name, day) DO UPDATE SET amount = counters.amount + excluded.amount
     WHERE counters.amount + excluded.amount <= ? RETURNING amount`,
);
const amount = defineStatement(
  'counters_amount',
  'SELECT amount FROM counters WHERE organization_id = ? AND name = ? AND day = ?',
);
const sweep = defineStatement('counters_sweep', 'DELETE FROM counters WHERE day < ? RETURNING day');

/** Counters, shared by both engines. */
export function createCounters(read: Read): Store['counters'] {
  return {
    async add({ organizationId, name, day }, added, limit = Number.MAX_SAFE_INTEGER) {
      if (added > limit) return false;
      return (await read(add, [organizationId, name, day, added, limit])).length === 1;
    },
    async amount({ organizationId, name, day }) {
      const [row] = await read(amount, [organizationId, name, day]);
      return row === undefined ? 0 : toInteger(row, 'amount');
    },
    sweep: async (beforeDay) => void (await read(sweep, [beforeDay])),
  };
}

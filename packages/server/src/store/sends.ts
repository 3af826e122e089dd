import type { SendCounts, SendStore } from './send-store.ts';
import { defineStatement, type Read } from './statement.ts';
import { toInteger } from './table.ts';
import { sendAccounts, sends } from './tables.ts';

const ofAccount = 'organization_id = ? AND chain = ? AND account = ?';
const get = defineStatement('sends_get', `SELECT ${sends.list} FROM sends WHERE organization_id = ? AND id = ?`);
const account = defineStatement('sends_account', `SELECT ${sendAccounts.list} FROM send_accounts WHERE ${ofAccount}`);
const active = defineStatement(
  'sends_active',
  `SELECT ${sends.list} FROM sends WHERE ${ofAccount} AND state IN ('INITIALIZED', 'BROADCASTING', 'INCLUDED') ORDER BY nonce, id`,
);
/** INVARIANT: if two nodes claim concurrently, the second one sees the later due time and does not claim the account. */
const claim = defineStatement(
  'sends_claim',
  `UPDATE send_accounts SET due_at_ms = ? WHERE due_at_ms > 0 AND due_at_ms <= ? AND (organization_id, chain, account) IN (
     SELECT organization_id, chain, account FROM send_accounts WHERE due_at_ms > 0 AND due_at_ms <= ? ORDER BY due_at_ms LIMIT ?)
   RETURNING ${sendAccounts.list}`,
);
const release = defineStatement(
  'sends_release',
  `UPDATE send_accounts SET due_at_ms = ? WHERE ${ofAccount} AND due_at_ms = ? RETURNING account`,
);
const states = ['INITIALIZED', 'BROADCASTING', 'INCLUDED'] as const;
const counts = defineStatement(
  'sends_counts',
  `SELECT ${states
    .map(
      (state) =>
        `(SELECT count(*) FROM (SELECT 1 FROM sends WHERE state = '${state}' LIMIT ?) AS of_${state}) AS ${state.toLowerCase()}`,
    )
    .join(', ')}`,
);

/** Reads and claims, shared by both engines. */
export function createSends(read: Read): Omit<SendStore, 'change'> {
  return {
    async get(organizationId, id) {
      const [row] = await read(get, [organizationId, id]);
      return row && sends.decode(row);
    },
    async account(key) {
      const [row] = await read(account, [key.organizationId, key.chain, key.account]);
      return row && sendAccounts.decode(row);
    },
    active: async (key) => (await read(active, [key.organizationId, key.chain, key.account])).map(sends.decode),
    claim: async (nowMs, leaseMs, limit) => (await read(claim, [nowMs + leaseMs, nowMs, nowMs, limit])).map(sendAccounts.decode),
    async release({ organizationId, chain, account: address, dueAtMs }, nextDueAtMs) {
      await read(release, [nextDueAtMs, organizationId, chain, address, dueAtMs]);
    },
    async counts(most) {
      const [row = {}] = await read(counts, [most, most, most]);
      return Object.fromEntries(states.map((state) => [state, toInteger(row, state.toLowerCase())])) as SendCounts;
    },
  };
}

import { newestFirst, toCursor } from './cursor.ts';
import { sendListing } from './send-listing.ts';
import type { SendCounts, SendStore } from './send-store.ts';
import { defineStatement, type Read, type Statement } from './statement.ts';
import { toInteger, toText } from './table.ts';
import { sendAccounts, sends } from './tables.ts';

const ofAccount = 'organization_id = ? AND chain = ? AND account = ?';
const get = defineStatement('sends_get', `SELECT ${sends.list} FROM sends WHERE organization_id = ? AND id = ?`);
const byRequestKey = defineStatement(
  'sends_by_request_key',
  `SELECT ${sends.list} FROM sends WHERE organization_id = ? AND request_key = ? AND request_key <> '' ORDER BY id DESC LIMIT 1`,
);
// Releases without `bytes_key` stored it as the name of a transaction that had none.
const byBytesKey = defineStatement(
  'sends_by_bytes_key',
  `SELECT ${sends.list} FROM sends WHERE organization_id = ? AND bytes_key = ? AND bytes_key <> ''
   UNION ALL SELECT ${sends.list} FROM sends WHERE organization_id = ? AND request_key = ? AND request_key <> ''
   ORDER BY id DESC LIMIT 1`,
);
const keyed = defineStatement(
  'sends_keyed',
  `SELECT ${sends.list} FROM sends WHERE organization_id = ? AND id > ? AND (request_key <> '' OR bytes_key <> '') ORDER BY id LIMIT ?`,
);
const account = defineStatement('sends_account', `SELECT ${sendAccounts.list} FROM send_accounts WHERE ${ofAccount}`);
const active = defineStatement(
  'sends_active',
  `SELECT ${sends.list} FROM sends WHERE ${ofAccount} AND state IN ('INITIALIZED', 'BROADCASTING', 'INCLUDED') ORDER BY nonce, id`,
);
const tenant = `(SELECT CASE WHEN o.parent_id = '' THEN o.organization_id ELSE o.parent_id END
  FROM organizations o WHERE o.organization_id = send_accounts.organization_id)`;
/**
 * INVARIANT: if two nodes claim concurrently, the second one sees the later due time and does not claim the account.
 * SECURITY: D901: the longest due account of each tenant comes before the second one of any.
 */
const claim = (except: number): Statement => ({
  sql: `UPDATE send_accounts SET due_at_ms = ? WHERE due_at_ms > 0 AND due_at_ms <= ? AND (organization_id, chain, account) IN (
     SELECT organization_id, chain, account FROM (
       SELECT organization_id, chain, account, due_at_ms, row_number() OVER (PARTITION BY tenant_id ORDER BY due_at_ms) AS place FROM (
         SELECT organization_id, chain, account, due_at_ms, ${tenant} AS tenant_id
         FROM send_accounts WHERE due_at_ms > 0 AND due_at_ms <= ? AND chain = ?) AS due
       ${except === 0 ? '' : `WHERE tenant_id NOT IN (${Array.from({ length: except }, () => '?').join(', ')})`}) AS ordered
     WHERE place <= ? ORDER BY place, due_at_ms LIMIT ?)
   RETURNING ${sendAccounts.list}, ${tenant} AS tenant_id`,
});
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
    async byRequestKey(organizationId, requestKey) {
      const [row] = await read(byRequestKey, [organizationId, requestKey]);
      return row && sends.decode(row);
    },
    async byBytesKey(organizationId, bytesKey) {
      const [row] = await read(byBytesKey, [organizationId, bytesKey, organizationId, bytesKey]);
      return row && sends.decode(row);
    },
    keyed: async (organizationId, after, limit) => (await read(keyed, [organizationId, after, limit])).map(sends.decode),
    async page(organizationId, filter, page) {
      const cursor = toCursor(page);
      const { statement, params } = sendListing(organizationId, filter, cursor);
      return newestFirst(cursor, await read(statement, params)).map(sends.decode);
    },
    async account(key) {
      const [row] = await read(account, [key.organizationId, key.chain, key.account]);
      return row && sendAccounts.decode(row);
    },
    active: async (key) => (await read(active, [key.organizationId, key.chain, key.account])).map(sends.decode),
    async claim({ chain, nowMs, leaseMs, limit, perTenant, except }) {
      const params = [nowMs + leaseMs, nowMs, nowMs, chain, ...except, perTenant, limit];
      const rows = await read(claim(except.length), params);
      return rows.map((row) => ({ ...sendAccounts.decode(row), tenantId: toText(row, 'tenant_id') }));
    },
    async release({ organizationId, chain, account: address, dueAtMs }, nextDueAtMs) {
      await read(release, [nextDueAtMs, organizationId, chain, address, dueAtMs]);
    },
    async counts(most) {
      const [row = {}] = await read(counts, [most, most, most]);
      return Object.fromEntries(states.map((state) => [state, toInteger(row, state.toLowerCase())])) as SendCounts;
    },
  };
}

import { toBytes, toInteger, toText } from './decode.ts';
import type { StoredEvent } from './rows.ts';
import { defineStatement, type Read, type Row, type Value } from './statement.ts';
import type { Store } from './store.ts';

const columns = 'seq, organization_id, id, listener_id, endpoint_id, created_at_ms, mac, body';
const ofEndpoint = 'listener_id = ? AND endpoint_id = ?';

const waiting = defineStatement(
  'events_waiting',
  `SELECT listener_id, endpoint_id FROM events WHERE (listener_id, endpoint_id) > (?, ?)
   ORDER BY listener_id, endpoint_id LIMIT 1`,
);
const lease = defineStatement(
  'events_lease',
  `INSERT INTO event_leases (listener_id, endpoint_id, holder, until_ms) VALUES (?, ?, ?, ?)
   ON CONFLICT (listener_id, endpoint_id) DO UPDATE SET holder = excluded.holder, until_ms = excluded.until_ms
     WHERE event_leases.holder = excluded.holder OR event_leases.until_ms <= ? RETURNING holder`,
);
const release = defineStatement('events_release', `DELETE FROM event_leases WHERE ${ofEndpoint} AND holder = ? RETURNING holder`);
const clear = defineStatement('events_clear', `DELETE FROM events WHERE ${ofEndpoint} AND created_at_ms < ? RETURNING seq`);

/** The delivering half of the events, the same for both engines. */
export function createEvents(read: Read): Store['events'] {
  return {
    async waiting(after) {
      const [row] = await read(waiting, [after?.listenerId ?? '', after?.endpointId ?? '']);
      return row === undefined ? undefined : { listenerId: toText(row, 'listener_id'), endpointId: toText(row, 'endpoint_id') };
    },
    async lease({ listenerId, endpointId }, holder, nowMs, leaseMs) {
      return (await read(lease, [listenerId, endpointId, holder, nowMs + leaseMs, nowMs])).length === 1;
    },
    release: async ({ listenerId, endpointId }, holder) => void (await read(release, [listenerId, endpointId, holder])),
    async oldest({ listenerId, endpointId }, limit, exceptOf = []) {
      const others = exceptOf.length === 0 ? '' : `AND organization_id NOT IN (${placeholders(exceptOf)})`;
      const sql = `SELECT ${columns} FROM events WHERE ${ofEndpoint} ${others} ORDER BY seq LIMIT ?`;
      return (await read({ sql }, [listenerId, endpointId, ...exceptOf, limit])).map(toEvent);
    },
    async remove({ listenerId, endpointId }, seqs) {
      if (seqs.length === 0) return;
      const sql = `DELETE FROM events WHERE ${ofEndpoint} AND seq IN (${placeholders(seqs)}) RETURNING seq`;
      await read({ sql }, [listenerId, endpointId, ...seqs]);
    },
    clear: async ({ listenerId, endpointId }, beforeMs) => (await read(clear, [listenerId, endpointId, beforeMs])).length,
  };
}

function placeholders(values: readonly Value[]): string {
  return values.map(() => '?').join(', ');
}

function toEvent(row: Row): StoredEvent {
  return {
    seq: toInteger(row, 'seq'),
    organizationId: toText(row, 'organization_id'),
    id: toText(row, 'id'),
    listenerId: toText(row, 'listener_id'),
    endpointId: toText(row, 'endpoint_id'),
    createdAtMs: toInteger(row, 'created_at_ms'),
    mac: toBytes(row, 'mac'),
    body: toText(row, 'body'),
  };
}

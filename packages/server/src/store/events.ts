import { toBytes, toInteger, toText } from './decode.ts';
import type { StoredEvent } from './rows.ts';
import { defineStatement, type Read, type Row, type Value } from './statement.ts';
import type { Store } from './store.ts';

const columns = 'seq, organization_id, id, listener_id, endpoint_id, created_at_ms, mac, body';
const ofEndpoint = 'endpoint_id = ? AND listener_id = ?';
/** How far into a queue to look for events that may go out, where the first ones may not: what a look costs is bounded by it. */
const LOOK = 2_000;

/** From one endpoint to the next by the index, so that it costs the same however much waits for each. */
const due = defineStatement(
  'events_due',
  `WITH RECURSIVE found (id) AS (
     SELECT min(endpoint_id) FROM events WHERE endpoint_id > ?
     UNION ALL SELECT (SELECT min(endpoint_id) FROM events WHERE endpoint_id > found.id) FROM found WHERE found.id IS NOT NULL
   )
   SELECT found.id AS endpoint_id, (SELECT listener_id FROM events WHERE endpoint_id = found.id LIMIT 1) AS listener_id
   FROM found LEFT JOIN event_leases ON event_leases.endpoint_id = found.id
   WHERE found.id IS NOT NULL AND coalesce(event_leases.until_ms, 0) <= ? ORDER BY found.id LIMIT ?`,
);
const lease = defineStatement(
  'events_lease',
  `INSERT INTO event_leases (endpoint_id, holder, until_ms) VALUES (?, ?, ?)
   ON CONFLICT (endpoint_id) DO UPDATE SET holder = excluded.holder, until_ms = excluded.until_ms
     WHERE event_leases.holder = excluded.holder OR event_leases.until_ms <= ? RETURNING holder`,
);
const release = defineStatement(
  'events_release',
  'DELETE FROM event_leases WHERE endpoint_id = ? AND holder = ? RETURNING holder',
);
/** A pause is a lease that nobody holds. */
const pause = defineStatement(
  'events_pause',
  "UPDATE event_leases SET holder = '', until_ms = ? WHERE endpoint_id = ? AND holder = ? RETURNING holder",
);
const wake = defineStatement('events_wake', "DELETE FROM event_leases WHERE endpoint_id = ? AND holder = '' RETURNING holder");

/** The delivering half of the events, the same for both engines. */
export function createEvents(read: Read): Store['events'] {
  return {
    async due(nowMs, limit, after = '') {
      const rows = await read(due, [after, nowMs, limit]);
      // One whose last event went between the two looks has no listener any more.
      return rows
        .filter((row) => row.listener_id !== null)
        .map((row) => ({ listenerId: toText(row, 'listener_id'), endpointId: toText(row, 'endpoint_id') }));
    },
    async lease({ endpointId }, holder, nowMs, leaseMs) {
      return (await read(lease, [endpointId, holder, nowMs + leaseMs, nowMs])).length === 1;
    },
    release: async ({ endpointId }, holder) => void (await read(release, [endpointId, holder])),
    pause: async ({ endpointId }, holder, untilMs) => void (await read(pause, [untilMs, endpointId, holder])),
    wake: async (endpointId) => void (await read(wake, [endpointId])),
    async oldest({ listenerId, endpointId }, limit, exceptOf = []) {
      const queue = `FROM events WHERE ${ofEndpoint} ORDER BY seq`;
      const sql =
        exceptOf.length === 0
          ? `SELECT ${columns} ${queue} LIMIT ?`
          : `SELECT ${columns} FROM (SELECT ${columns} ${queue} LIMIT ${LOOK}) AS queue
             WHERE organization_id NOT IN (${placeholders(exceptOf)}) ORDER BY seq LIMIT ?`;
      return (await read({ sql }, [endpointId, listenerId, ...exceptOf, limit])).map(toEvent);
    },
    async remove({ listenerId, endpointId }, seqs) {
      if (seqs.length === 0) return;
      const sql = `DELETE FROM events WHERE ${ofEndpoint} AND seq IN (${placeholders(seqs)}) RETURNING seq`;
      await read({ sql }, [endpointId, listenerId, ...seqs]);
    },
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

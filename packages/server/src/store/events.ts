import type { StoredEvent } from './rows.ts';
import { defineStatement, type Read, type Row, type Value } from './statement.ts';
import type { EndpointKey, EndpointState, Store } from './store.ts';
import { toInteger, toText } from './table.ts';
import { eventDrops, eventReceivers, events, eventWindows } from './tables.ts';

/** An event with its body, which rows of earlier releases have themselves. */
const body = "CASE events.body WHEN '' THEN coalesce(event_bodies.body, '') ELSE events.body END AS body";
const columns = [
  'events.seq',
  "CASE events.body WHEN '' THEN 1 ELSE 0 END AS is_shared",
  ...events.columns.map(({ name }) => (name === 'body' ? body : `events.${name}`)),
].join(', ');
const withBodies =
  'events LEFT JOIN event_bodies ON event_bodies.organization_id = events.organization_id AND event_bodies.id = events.id';
const ofEndpoint = 'endpoint_id = ? AND listener_id = ?';

/** Steps from endpoint to endpoint along the index, up to a number of steps. The cost does not depend on the number of queued events. */
const walk = defineStatement(
  'events_walk',
  `WITH RECURSIVE found (id, steps) AS (
     SELECT min(endpoint_id), 1 FROM events WHERE endpoint_id > ?
     UNION ALL SELECT (SELECT min(endpoint_id) FROM events WHERE endpoint_id > found.id), found.steps + 1
       FROM found WHERE found.id IS NOT NULL AND found.steps < ?
   )
   SELECT found.id AS endpoint_id, coalesce(event_leases.until_ms, 0) AS until_ms,
     (SELECT listener_id FROM events WHERE endpoint_id = found.id ORDER BY seq LIMIT 1) AS listener_id
   FROM found LEFT JOIN event_leases ON event_leases.endpoint_id = found.id WHERE found.id IS NOT NULL`,
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
/** A pause is a lease without a holder. */
const pause = defineStatement(
  'events_pause',
  "UPDATE event_leases SET holder = '', until_ms = ? WHERE endpoint_id = ? AND holder = ? RETURNING holder",
);
const wake = defineStatement('events_wake', "DELETE FROM event_leases WHERE endpoint_id = ? AND holder = '' RETURNING holder");

const oldest = defineStatement('events_oldest', `SELECT ${columns} FROM ${withBodies} WHERE ${ofEndpoint} ORDER BY seq LIMIT ?`);

const sizes = defineStatement(
  'events_sizes',
  `SELECT seq, octet_length(events.body) + coalesce(octet_length(event_bodies.body), 0) AS bytes
   FROM ${withBodies} WHERE ${ofEndpoint} AND seq > ? ORDER BY seq LIMIT ?`,
);
const removeFrom = defineStatement(
  'events_remove_from',
  `DELETE FROM events WHERE seq IN (SELECT seq FROM events WHERE ${ofEndpoint} AND seq >= ? ORDER BY seq DESC LIMIT ?) RETURNING seq`,
);
const noteDropped = defineStatement(
  'events_note_dropped',
  `INSERT INTO event_drops (organization_id, endpoint_id, dropped, dropped_at_ms) VALUES (?, ?, ?, ?)
   ON CONFLICT (organization_id, endpoint_id) DO UPDATE SET dropped = event_drops.dropped + excluded.dropped,
     dropped_at_ms = excluded.dropped_at_ms RETURNING endpoint_id`,
);
const drops = defineStatement(
  'events_drops',
  `SELECT ${eventDrops.list} FROM event_drops WHERE organization_id = ? AND endpoint_id = ?`,
);
const selectWindow = defineStatement(
  'events_window',
  `SELECT ${eventWindows.list} FROM event_windows WHERE organization_id = ? AND endpoint_id = ?`,
);
const replaceWindow = defineStatement(
  'events_replace_window',
  `INSERT INTO event_windows (organization_id, endpoint_id, stream_id, first_sequence, seqs) VALUES (?, ?, ?, ?, ?)
   ON CONFLICT (organization_id, endpoint_id) DO UPDATE SET stream_id = excluded.stream_id, first_sequence = excluded.first_sequence,
     seqs = excluded.seqs WHERE event_windows.first_sequence = ? RETURNING endpoint_id`,
);
const note = defineStatement(
  'events_note',
  `INSERT INTO event_receivers (organization_id, endpoint_id, taken_at_ms, failed_at_ms, fault, retry_at_ms) VALUES (?, ?, ?, ?, ?, ?)
   ON CONFLICT (organization_id, endpoint_id) DO UPDATE SET retry_at_ms = excluded.retry_at_ms,
     taken_at_ms = CASE WHEN excluded.taken_at_ms > 0 THEN excluded.taken_at_ms ELSE event_receivers.taken_at_ms END,
     failed_at_ms = CASE WHEN excluded.failed_at_ms > 0 THEN excluded.failed_at_ms ELSE event_receivers.failed_at_ms END,
     fault = CASE WHEN excluded.failed_at_ms > 0 THEN excluded.fault ELSE event_receivers.fault END RETURNING endpoint_id`,
);
const receiver = defineStatement(
  'events_receiver',
  `SELECT ${eventReceivers.list} FROM event_receivers WHERE organization_id = ? AND endpoint_id = ?`,
);
/** Reads no bodies and at most the requested number of rows. */
const countWaiting = defineStatement(
  'events_count_waiting',
  `SELECT count(*) AS waiting, coalesce(min(created_at_ms), 0) AS oldest_at_ms
   FROM (SELECT created_at_ms FROM events WHERE ${ofEndpoint} ORDER BY seq LIMIT ?) AS first_ones`,
);

/** Delivery of events, shared by both engines. */
export function createEvents(read: Read): Store['events'] {
  async function endpointsAfter(steps: number, after: string) {
    const rows = (await read(walk, [after, steps])).map((row) => ({
      listenerId: toText(row, 'listener_id'),
      endpointId: toText(row, 'endpoint_id'),
      untilMs: toInteger(row, 'until_ms'),
    }));
    rows.sort((a, b) => (a.endpointId < b.endpointId ? -1 : 1));
    return { rows, walkedTo: rows.length < steps ? undefined : rows.at(-1)?.endpointId };
  }
  const keyOf = ({ listenerId, endpointId }: EndpointKey): EndpointKey => ({ listenerId, endpointId });
  return {
    async due(nowMs, steps, after = '') {
      const { rows, walkedTo } = await endpointsAfter(steps, after);
      return { endpoints: rows.filter(({ untilMs }) => untilMs <= nowMs).map(keyOf), walkedTo };
    },
    async queues(steps, after = '') {
      const { rows, walkedTo } = await endpointsAfter(steps, after);
      return { endpoints: rows.map(keyOf), walkedTo };
    },
    async sizes({ listenerId, endpointId }, limit, above = 0) {
      const rows = await read(sizes, [endpointId, listenerId, above, limit]);
      return rows.map((row) => ({ seq: toInteger(row, 'seq'), bytes: toInteger(row, 'bytes') }));
    },
    removeFrom: async ({ listenerId, endpointId }, seq, limit) =>
      (await read(removeFrom, [endpointId, listenerId, seq, limit])).length,
    noteDropped: async ({ listenerId, endpointId }, count, atMs) =>
      void (await read(noteDropped, [listenerId, endpointId, count, atMs])),
    async lease({ endpointId }, holder, nowMs, leaseMs) {
      return (await read(lease, [endpointId, holder, nowMs + leaseMs, nowMs])).length === 1;
    },
    release: async ({ endpointId }, holder) => void (await read(release, [endpointId, holder])),
    pause: async ({ endpointId }, holder, untilMs) => void (await read(pause, [untilMs, endpointId, holder])),
    wake: async (endpointId) => void (await read(wake, [endpointId])),
    oldest: async ({ listenerId, endpointId }, limit) => (await read(oldest, [endpointId, listenerId, limit])).map(toEvent),
    async firstOfOthers({ listenerId, endpointId }, limit, exceptOf, after = '') {
      const sql = `WITH RECURSIVE found (id) AS (
          SELECT min(organization_id) FROM events WHERE endpoint_id = ? AND organization_id > ?
          UNION ALL SELECT (SELECT min(organization_id) FROM events WHERE endpoint_id = ? AND organization_id > found.id)
            FROM found WHERE found.id IS NOT NULL
        ), heads (head) AS (
          SELECT (SELECT min(seq) FROM events WHERE endpoint_id = ? AND organization_id = found.id) FROM found
          WHERE found.id IS NOT NULL AND found.id NOT IN (${placeholders(exceptOf)}) LIMIT ?
        )
        SELECT ${columns} FROM ${withBodies} JOIN heads ON events.seq = heads.head WHERE ${ofEndpoint}`;
      const rows = await read({ sql }, [endpointId, after, endpointId, endpointId, ...exceptOf, limit, endpointId, listenerId]);
      return rows.map(toEvent).sort((a, b) => (a.organizationId < b.organizationId ? -1 : 1));
    },
    async some({ listenerId, endpointId }, seqs) {
      if (seqs.length === 0) return [];
      const sql = `SELECT ${columns} FROM ${withBodies} WHERE ${ofEndpoint} AND seq IN (${placeholders(seqs)}) ORDER BY seq`;
      return (await read({ sql }, [endpointId, listenerId, ...seqs])).map(toEvent);
    },
    async window({ listenerId, endpointId }) {
      const [row] = (await read(selectWindow, [listenerId, endpointId])).map(eventWindows.decode);
      return row && { streamId: row.streamId, firstSequence: row.firstSequence, seqs: JSON.parse(row.seqs) as number[] };
    },
    async replaceWindow({ listenerId, endpointId }, { streamId, firstSequence, seqs }, expectedFirst = -1) {
      const row = [listenerId, endpointId, streamId, firstSequence, JSON.stringify(seqs)];
      return (await read(replaceWindow, [...row, expectedFirst])).length === 1;
    },
    async remove({ listenerId, endpointId }, seqs) {
      if (seqs.length === 0) return;
      const sql = `DELETE FROM events WHERE ${ofEndpoint} AND seq IN (${placeholders(seqs)}) RETURNING seq`;
      await read({ sql }, [endpointId, listenerId, ...seqs]);
    },
    async note({ organizationId, endpointId, takenAtMs, failedAtMs, fault, retryAtMs }) {
      await read(note, [organizationId, endpointId, takenAtMs, failedAtMs, fault, retryAtMs]);
    },
    async states(organizationId, endpointIds, mostWaiting) {
      const states: EndpointState[] = [];
      for (const endpointId of endpointIds) {
        const [known] = (await read(receiver, [organizationId, endpointId])).map(eventReceivers.decode);
        const [counted] = await read(countWaiting, [endpointId, organizationId, mostWaiting]);
        if (counted === undefined) throw new TypeError('a count gave no row');
        const [lost] = (await read(drops, [organizationId, endpointId])).map(eventDrops.decode);
        const { dropped = 0, droppedAtMs = 0 } = lost ?? {};
        const { takenAtMs = 0, failedAtMs = 0, fault = '', retryAtMs = 0 } = known ?? {};
        const [waiting, oldestAtMs] = [toInteger(counted, 'waiting'), toInteger(counted, 'oldest_at_ms')];
        states.push({ endpointId, takenAtMs, failedAtMs, fault, retryAtMs, waiting, oldestAtMs, dropped, droppedAtMs });
      }
      return states;
    },
  };
}

/** One placeholder per value. An empty list becomes a value that matches nothing, because neither engine accepts an empty list. */
function placeholders(values: readonly Value[]): string {
  return values.length === 0 ? "''" : values.map(() => '?').join(', ');
}

function toEvent(row: Row): StoredEvent {
  const isShared = toInteger(row, 'is_shared') === 1;
  return { seq: toInteger(row, 'seq'), ...events.decode(row), ...(isShared && { isShared }) };
}

import type { StoredEvent } from './rows.ts';
import { bytes, defineTable, integer, type TableShape, text } from './table.ts';
import {
  activities,
  activityCountState,
  activityCounts,
  activityTermState,
  activityTerms,
  approvalNotices,
  archived,
  archiveSpans,
  archives,
  dataKeys,
  eventBodies,
  eventDrops,
  eventReceivers,
  logHeads,
  logLeaves,
  logMap,
  logQueue,
  logState,
  logTiles,
  lookups,
  mailEvents,
  organizations,
  outbox,
  records,
  resources,
  secrets,
  sendAccounts,
  sends,
  sessionUses,
  settings,
  tombstones,
  usagePoints,
} from './tables.ts';

const counters = defineTable<
  { organizationId: string; name: string; day: number; amount: number },
  { organizationId: string; name: string; day: number }
>('counters', {
  key: { organizationId: text, name: text, day: integer },
  columns: { amount: integer },
});

/** Like `events`, with the number that the database assigned. */
const events = defineTable<Omit<StoredEvent, 'isShared'>, Pick<StoredEvent, 'organizationId' | 'id' | 'endpointId'>>('events', {
  key: { organizationId: text, id: text, endpointId: text },
  columns: { seq: integer, listenerId: text, createdAtMs: integer, mac: bytes, body: text },
});

const logRefused: TableShape = { ...logQueue, name: 'log_refused' };

/**
 * Every table in a backup. Settings come first, because they open the vault. A test compares the list with the schema.
 * `event_leases` and `event_windows` are excluded: a lease means nothing in a copy, and the numbers of a copy were used already.
 */
export const copiedTables: readonly TableShape[] = Object.freeze([
  settings,
  organizations,
  dataKeys,
  records,
  resources,
  tombstones,
  secrets,
  lookups,
  activities,
  outbox,
  eventBodies,
  events,
  eventDrops,
  eventReceivers,
  counters,
  usagePoints,
  sendAccounts,
  sends,
  archives,
  archived,
  archiveSpans,
  logState,
  logHeads,
  logMap,
  logTiles,
  logLeaves,
  logQueue,
  logRefused,
  activityCounts,
  activityCountState,
  activityTerms,
  activityTermState,
  approvalNotices,
  mailEvents,
  sessionUses,
]);

/** Tables with a `seq` that the database assigns. Each lists the tables whose numbers must not be assigned again. */
export const numberedTables = { events: ['events'], log_queue: ['log_queue', 'log_refused'] } as const;

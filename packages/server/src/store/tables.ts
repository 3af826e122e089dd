import { toLookupKey } from './lookup-key.ts';
import { packBody, unpackBody } from './packed-body.ts';
import { packOpening, unpackOpening } from './packed-opening.ts';
import type {
  ActivityCountRow,
  ActivityRow,
  ApprovalNoticeRow,
  ArchivedRow,
  ArchiveRow,
  ArchiveSpanRow,
  DataKeyRow,
  EventBodyRow,
  EventDropRow,
  EventReceiverRow,
  EventRow,
  EventWindowRow,
  HeadRow,
  LogHeadRow,
  LogLeafRow,
  LogMapRow,
  LogStateRow,
  LogTileRow,
  LookupRow,
  MailEventRow,
  OutboxRow,
  Put,
  QueuedLogEntry,
  RecordRow,
  ResourceRow,
  RowKeys,
  Rows,
  SecretRow,
  SendAccountRow,
  SendRow,
  SessionUseRow,
  SettingRow,
  TombstoneRow,
  UsagePointRow,
} from './rows.ts';
import type { Value } from './statement.ts';
import {
  bytes,
  coveredInteger,
  defineTable,
  integer,
  oneOf,
  type Packed,
  packing,
  type Table,
  type TableShape,
  text,
} from './table.ts';
import type { ActivityTermRow } from './term-store.ts';

// Every table whose rows leave the store. A test compares names, types and keys with the migrated schema.
const organizationId = text;

export const organizations = defineTable<HeadRow, Pick<HeadRow, 'organizationId'>>('organizations', {
  key: { organizationId },
  columns: { parentId: text, version: coveredInteger, mac: bytes },
});

export const activities = packing<ActivityRow, Pick<ActivityRow, 'organizationId' | 'id'>, 'body'>(
  defineTable<Packed<ActivityRow>, Pick<ActivityRow, 'organizationId' | 'id'>>('activities', {
    key: { organizationId, id: text },
    columns: {
      revision: coveredInteger,
      fingerprint: text,
      requestedAtMs: coveredInteger,
      type: text,
      status: text,
      mac: bytes,
      body: text,
      packed: bytes,
    },
  }),
  'body',
  { pack: ({ body }) => packBody(body), unpack: (_, packed) => unpackBody(packed) },
);

export const records = defineTable<RecordRow, RowKeys['records']>('records', {
  key: { organizationId, kind: text, id: text },
  columns: { writtenBy: coveredInteger, mac: bytes, body: text },
});

export const resources = defineTable<ResourceRow, RowKeys['resources']>('resources', {
  key: { organizationId, kind: text, id: text },
  columns: { parentId: text, writtenBy: coveredInteger, mac: bytes, body: text },
});

export const tombstones = defineTable<TombstoneRow, RowKeys['tombstones']>('tombstones', {
  key: { organizationId, version: integer, kind: text, id: text },
  columns: { mac: bytes },
});

export const secrets = defineTable<SecretRow, RowKeys['secrets']>('secrets', {
  key: { organizationId, id: text },
  columns: { ciphertext: bytes },
});

export const lookups = defineTable<LookupRow, RowKeys['lookups']>('lookups', {
  key: { organizationId, kind: text, value: { ...text, encode: toLookupKey }, id: text },
  columns: {},
});

export const dataKeys = defineTable<DataKeyRow, RowKeys['data_keys']>('data_keys', {
  key: { organizationId },
  columns: { rootKeyId: text, wrapped: bytes, generation: integer, previous: bytes },
});

export const outbox = defineTable<OutboxRow, RowKeys['outbox']>('outbox', {
  key: { organizationId, id: text },
  columns: {
    state: oneOf('waiting', 'parked', 'kept'),
    dueAtMs: integer,
    expiresAtMs: integer,
    attempts: integer,
    fault: text,
    ciphertext: bytes,
  },
});

export const events = defineTable<EventRow, RowKeys['events']>('events', {
  key: { organizationId, id: text, endpointId: text },
  columns: { listenerId: text, createdAtMs: coveredInteger, mac: bytes, body: text },
  appended: true,
});

export const eventBodies = defineTable<EventBodyRow, RowKeys['event_bodies']>('event_bodies', {
  key: { organizationId, id: text },
  columns: { body: text },
  appended: true,
});

export const eventDrops = defineTable<EventDropRow, Pick<EventDropRow, 'organizationId' | 'endpointId'>>('event_drops', {
  key: { organizationId, endpointId: text },
  columns: { dropped: integer, droppedAtMs: integer },
});

export const eventWindows = defineTable<EventWindowRow, Pick<EventWindowRow, 'organizationId' | 'endpointId'>>('event_windows', {
  key: { organizationId, endpointId: text },
  columns: { streamId: text, firstSequence: integer, seqs: text },
});

export const settings = defineTable<SettingRow, Pick<SettingRow, 'name'>>('settings', {
  key: { name: text },
  columns: { body: text },
});

export const logQueue = defineTable<QueuedLogEntry, Pick<QueuedLogEntry, 'seq'>>('log_queue', {
  key: { seq: integer },
  columns: { organizationId, activityId: text, revision: coveredInteger, format: coveredInteger, body: text, mac: bytes },
});

export const logLeaves = packing<LogLeafRow, Pick<LogLeafRow, 'organizationId' | 'activityId' | 'revision'>, 'opening'>(
  defineTable<Packed<LogLeafRow>, Pick<LogLeafRow, 'organizationId' | 'activityId' | 'revision'>>('log_leaves', {
    key: { organizationId, activityId: text, revision: coveredInteger },
    columns: { leafIndex: integer, sequence: coveredInteger, opening: text, commitment: bytes, packed: bytes },
  }),
  'opening',
  { pack: packOpening, unpack: unpackOpening },
);

export const logTiles = defineTable<LogTileRow, Pick<LogTileRow, 'level' | 'tileIndex'>>('log_tiles', {
  key: { level: integer, tileIndex: integer },
  columns: { hashes: bytes },
});

export const logHeads = defineTable<LogHeadRow, Pick<LogHeadRow, 'organizationId'>>('log_heads', {
  key: { organizationId },
  columns: { sequence: coveredInteger, leafHash: bytes, headVersion: coveredInteger, headDigest: bytes },
});

export const logState = defineTable<LogStateRow, Pick<LogStateRow, 'name'>>('log_state', {
  key: { name: oneOf('log') },
  columns: { size: coveredInteger, root: bytes, frontier: bytes, mapRoot: bytes, mac: bytes },
});

export const logMap = defineTable<LogMapRow, Pick<LogMapRow, 'prefix'>>('log_map', {
  key: { prefix: text },
  columns: { node: bytes },
});

export const archives = defineTable<ArchiveRow, Pick<ArchiveRow, 'name'>>('archives', {
  key: { name: text },
  columns: { body: text, mac: bytes },
});

export const archived = defineTable<ArchivedRow, Pick<ArchivedRow, 'organizationId' | 'activityId'>>('archived', {
  key: { organizationId, activityId: text },
  columns: { revision: coveredInteger, fingerprint: text, archive: text, activityMac: bytes, mac: bytes },
});

export const archiveSpans = defineTable<ArchiveSpanRow, Pick<ArchiveSpanRow, 'organizationId' | 'lastId' | 'archive'>>(
  'archive_spans',
  {
    key: { organizationId, lastId: text, archive: text },
    columns: {
      firstId: text,
      beforeMs: coveredInteger,
      firstSequence: coveredInteger,
      lastSequence: coveredInteger,
      firstLeaf: coveredInteger,
      lastLeaf: coveredInteger,
      activities: coveredInteger,
      leaves: coveredInteger,
      mac: bytes,
    },
  },
);

export const usagePoints = defineTable<UsagePointRow, Pick<UsagePointRow, 'organizationId' | 'bucket' | 'revision'>>(
  'usage_points',
  {
    key: { organizationId, bucket: text, revision: coveredInteger },
    columns: { atMs: coveredInteger, total: text, activityId: text, previous: bytes, mac: bytes },
  },
);

export const activityCounts = defineTable<ActivityCountRow, Omit<ActivityCountRow, 'amount'>>('activity_counts', {
  key: { organizationId, hour: integer, type: text, status: text },
  columns: { amount: integer },
});

export const activityCountState = defineTable<{ name: 'counts'; leaves: number }, { name: 'counts' }>('activity_count_state', {
  key: { name: oneOf('counts') },
  columns: { leaves: integer },
});

export const activityTerms = defineTable<ActivityTermRow, ActivityTermRow>('activity_terms', {
  key: { organizationId, term: text, minute: integer },
  columns: {},
});

export const activityTermState = defineTable<{ name: 'terms'; leaves: number }, { name: 'terms' }>('activity_term_state', {
  key: { name: oneOf('terms') },
  columns: { leaves: integer },
});

export const approvalNotices = defineTable<ApprovalNoticeRow, Pick<ApprovalNoticeRow, 'organizationId' | 'userId'>>(
  'approval_notices',
  { key: { organizationId, userId: text }, columns: { dueAtMs: integer, toldAtMs: integer, wishes: integer } },
);

export const mailEvents = defineTable<MailEventRow, Pick<MailEventRow, 'organizationId' | 'id'>>('mail_events', {
  key: { organizationId, id: text },
  columns: { recipient: text, eventType: text, createdAtMs: coveredInteger, body: text, mac: bytes },
});

export const sessionUses = defineTable<SessionUseRow, Pick<SessionUseRow, 'organizationId' | 'userId' | 'id' | 'kind'>>(
  'session_uses',
  {
    key: { organizationId, userId: text, id: text, kind: text },
    columns: { atMs: coveredInteger, expiresAtMs: coveredInteger, body: text, mac: bytes },
  },
);

export const eventReceivers = defineTable<EventReceiverRow, Pick<EventReceiverRow, 'organizationId' | 'endpointId'>>(
  'event_receivers',
  {
    key: { organizationId, endpointId: text },
    columns: { takenAtMs: integer, failedAtMs: integer, fault: text, retryAtMs: integer },
  },
);

export const sends = defineTable<SendRow, RowKeys['sends']>('sends', {
  key: { organizationId, id: text },
  columns: {
    chain: text,
    account: text,
    nonce: coveredInteger,
    state: oneOf('INITIALIZED', 'BROADCASTING', 'INCLUDED', 'COMPLETED', 'FAILED', 'CANCELLED', 'UNKNOWN'),
    revision: coveredInteger,
    body: text,
    requestKey: text,
    bytesKey: text,
    mac: bytes,
  },
});

export const sendAccounts = defineTable<SendAccountRow, RowKeys['send_accounts']>('send_accounts', {
  key: { organizationId, chain: text, account: text },
  columns: { revision: coveredInteger, body: text, mac: bytes, dueAtMs: integer },
});

const written: { readonly [T in keyof Rows]: Table<Rows[T], RowKeys[T]> } = {
  records,
  resources,
  tombstones,
  secrets,
  lookups,
  data_keys: dataKeys,
  outbox,
  events,
  event_bodies: eventBodies,
  sends,
  send_accounts: sendAccounts,
};

/** Creates a value, such as a statement, for each table that commits write. */
export function forEachWritten<V>(make: (table: TableShape) => V): Readonly<Record<keyof Rows, V>> {
  return Object.fromEntries(Object.entries(written).map(([name, table]) => [name, make(table)])) as Record<keyof Rows, V>;
}

/** The values of a row to put, in the order of its table's columns. */
export function toValues<T extends keyof Rows>({ table, row }: Put<T>): Value[] {
  return written[table].encode(row);
}

/** The key values of a row to put or delete. */
export function toKey<T extends keyof Rows>({ table, row }: { readonly table: T; readonly row: RowKeys[T] }): Value[] {
  return written[table].encodeKey(row);
}

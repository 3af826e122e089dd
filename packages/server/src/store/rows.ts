/** The rows of the store. Plain data that may cross a process boundary. `tables.ts` defines how they are stored. */

/**
 * A record that decisions depend on: a user, credential, tag, policy or the organization itself. A snapshot contains all records in full.
 */
export interface RecordRow {
  readonly organizationId: string;
  readonly kind: string;
  readonly id: string;
  /** Version of the head of the commit that wrote the row. 0 for a row of an earlier release. */
  readonly writtenBy: number;
  readonly body: string;
  readonly mac: Uint8Array;
}

/** The part of a wallet or private key that a snapshot contains. */
export type KeyRow = Pick<ResourceRow, 'kind' | 'id' | 'mac'>;

/**
 * A resource that can be numerous and is looked up individually: a wallet, private key or wallet account. `parentId` is the wallet of a
 * wallet account, otherwise the empty string.
 */
export interface ResourceRow {
  readonly organizationId: string;
  readonly kind: string;
  readonly id: string;
  readonly parentId: string;
  /** See `RecordRow`. */
  readonly writtenBy: number;
  readonly body: string;
  readonly mac: Uint8Array;
}

/**
 * Marks the deletion of a record, wallet or private key by the commit with this head version. Not authenticated: a delta between two
 * versions is verified by the sums of the head.
 */
export interface TombstoneRow {
  readonly organizationId: string;
  readonly version: number;
  readonly kind: string;
  readonly id: string;
  /** The MAC of a removed or replaced wallet or private key. Empty for records. */
  readonly mac: Uint8Array;
}

/** An encrypted secret. Its associated data binds it to organization, id and purpose, so the row needs no MAC. */
export interface SecretRow {
  readonly organizationId: string;
  readonly id: string;
  readonly ciphertext: Uint8Array;
}

/** An index entry that maps `kind` and `value` to `id` within one organization. Never trusted: the row itself must confirm it. */
export interface LookupRow {
  readonly organizationId: string;
  readonly kind: string;
  readonly value: string;
  readonly id: string;
}

/** The head of an organization: its version and the MAC over version and content sums. */
export interface HeadRow {
  readonly organizationId: string;
  /** Empty for a top-level organization. Only an index: the authenticated parent is in the organization's own record. */
  readonly parentId: string;
  readonly version: number;
  readonly mac: Uint8Array;
}

/** An organization's data key, wrapped by the root key that `rootKeyId` names. */
export interface DataKeyRow {
  readonly organizationId: string;
  readonly rootKeyId: string;
  readonly wrapped: Uint8Array;
  /** Higher for each new data key of the organization. */
  readonly generation: number;
  /** The wrapped data key before this one, while secrets are encrypted under both. Otherwise empty. */
  readonly previous: Uint8Array;
}

/** One activity. */
export interface ActivityRow {
  readonly organizationId: string;
  readonly id: string;
  /** Number of the write of this activity, from 0. */
  readonly revision: number;
  readonly fingerprint: string;
  /** Timestamp of the request. Each fingerprint has exactly one, so it can lead the index of fingerprints. */
  readonly requestedAtMs: number;
  readonly type: string;
  readonly status: string;
  /** All fields without a column, as JSON text: intent, result, votes, decisions, times. Opaque to the store. */
  readonly body: string;
  /** Covers all other fields; the time is part of the body. */
  readonly mac: Uint8Array;
}

/** An installation-wide setting, such as the wrapped integrity key. */
export interface SettingRow {
  readonly name: string;
  readonly body: string;
}

/**
 * A message to an external recipient, such as an email. It is committed with the activity that sends it, and delivered afterwards.
 * Its associated data binds the ciphertext to organization and id, so the row needs no MAC.
 */
export interface OutboxRow {
  readonly organizationId: string;
  readonly id: string;
  readonly state: OutboxState;
  /** Time of the next attempt. For a message that is no longer `waiting`, the time at which it left that state. */
  readonly dueAtMs: number;
  /** The message is useless to its recipient after this time. */
  readonly expiresAtMs: number;
  /** Number of delivery attempts that were started. */
  readonly attempts: number;
  /** Why the last attempt failed, without any part of the message. Empty if none has failed. */
  readonly fault: string;
  readonly ciphertext: Uint8Array;
}

/** `parked`: delivery was abandoned, and the message stays for inspection until it expires. `kept`: in the development mailbox. */
export type OutboxState = 'waiting' | 'parked' | 'kept';

/**
 * An activity update for one webhook endpoint. It is committed with the activity, and delivered afterwards.
 * `organizationId` owns the activity. `listenerId` owns the endpoint: the same organization or its parent.
 */
export interface EventRow {
  readonly organizationId: string;
  readonly id: string;
  readonly listenerId: string;
  readonly endpointId: string;
  readonly createdAtMs: number;
  /** The exact payload to send. Empty if `event_bodies` has it. */
  readonly body: string;
  /** Covers all other fields, with the payload itself. */
  readonly mac: Uint8Array;
}

/** The payload of an event, stored once for all endpoints. It needs no MAC: the MAC of each event that refers to it covers it. */
export interface EventBodyRow {
  readonly organizationId: string;
  readonly id: string;
  readonly body: string;
}

/** Number of events that an endpoint of the organization lost, and when it last did. */
export interface EventDropRow {
  readonly organizationId: string;
  readonly endpointId: string;
  readonly dropped: number;
  readonly droppedAtMs: number;
}

/** The numbers of events that an endpoint receives in batches. */
export interface EventWindowRow {
  readonly organizationId: string;
  readonly endpointId: string;
  /** Numbers of another stream mean nothing in this one. */
  readonly streamId: string;
  readonly firstSequence: number;
  /** JSON: `seq` of the events with the numbers from the first one on. */
  readonly seqs: string;
}

/** `seq` follows commit order: a commit that starts after another one has ended has a higher number. */
export interface StoredEvent extends EventRow {
  readonly seq: number;
  /** Present if the body is that of `event_bodies`. */
  readonly isShared?: true;
}

/** A revision of an activity, queued to become a leaf of the log. It is committed with the activity. */
export interface LogEntryRow {
  readonly organizationId: string;
  readonly activityId: string;
  readonly revision: number;
  /** Format of the body: 1 names no head, 2 does. */
  readonly format: number;
  /** Content of the future leaf, as canonical JSON. Opaque to the store. */
  readonly body: string;
  readonly mac: Uint8Array;
}

/** `seq` follows commit order: a commit that starts after another one has ended has a higher number. */
export interface QueuedLogEntry extends LogEntryRow {
  readonly seq: number;
}

/** A leaf of the log. The database stores one per revision of each activity. */
export interface LogLeafRow {
  readonly organizationId: string;
  readonly activityId: string;
  readonly revision: number;
  readonly leafIndex: number;
  /** Number of the leaf within its organization, from 1. */
  readonly sequence: number;
  /** Canonical JSON. */
  readonly opening: string;
  /** The data of the leaf. It needs no MAC: the tree commits to it. */
  readonly commitment: Uint8Array;
}

/** Number of activities of an organization that reached a status in an hour. */
export interface ActivityCountRow {
  readonly organizationId: string;
  /** Hours since 1970, in UTC. */
  readonly hour: number;
  readonly type: string;
  readonly status: string;
  readonly amount: number;
}

/** Latest delivery results of a webhook endpoint of the organization. A time of zero means never. */
export interface EventReceiverRow {
  readonly organizationId: string;
  readonly endpointId: string;
  readonly takenAtMs: number;
  readonly failedAtMs: number;
  /** Why the receiver did not accept an event. Shown to users of the organization. */
  readonly fault: string;
  readonly retryAtMs: number;
}

/** What a mail server said about a mail of the organization. */
export interface MailEventRow {
  readonly organizationId: string;
  readonly id: string;
  /** Keyed hash of organization and address. */
  readonly recipient: string;
  readonly eventType: string;
  readonly createdAtMs: number;
  /** JSON: the message, its sender and the diagnostic. Opaque to the store. */
  readonly body: string;
  /** Covers all other fields. */
  readonly mac: Uint8Array;
}

/** What the request that opened a session, or a later request of the session, said about its client. */
export interface SessionUseRow {
  readonly organizationId: string;
  readonly userId: string;
  /** The id of the session's key. */
  readonly id: string;
  /** `opened` or `used`. */
  readonly kind: string;
  readonly atMs: number;
  /** When the session ends at the latest. */
  readonly expiresAtMs: number;
  /** JSON: device and network address. Opaque to the store. */
  readonly body: string;
  /** Covers all other fields. */
  readonly mac: Uint8Array;
}

/** Notification state of a user whose approval may be needed. */
export interface ApprovalNoticeRow {
  readonly organizationId: string;
  readonly userId: string;
  /** When to notify the user. 0 if nothing is due. */
  readonly dueAtMs: number;
  /** Time of the last notification. 0 means never. */
  readonly toldAtMs: number;
  /** Number of notification requests. */
  readonly wishes: number;
}

/** A tile of the tree at its current width. Every earlier, narrower version is a prefix of it. */
export interface LogTileRow {
  readonly level: number;
  readonly tileIndex: number;
  readonly hashes: Uint8Array;
}

/** The last leaf of an organization, and its newest head according to the log. It needs no MAC: the head map commits to it. */
export interface LogHeadRow {
  readonly organizationId: string;
  readonly sequence: number;
  readonly leafHash: Uint8Array;
  readonly headVersion: number;
  /** SHA-256 of the MAC of the head. */
  readonly headDigest: Uint8Array;
}

/** Current state of the tree. There is one row, named `log`. */
export interface LogStateRow {
  readonly name: 'log';
  readonly size: number;
  readonly root: Uint8Array;
  /** Hashes of the complete subtrees that form the tree, largest first. */
  readonly frontier: Uint8Array;
  /** Root of the head map. Empty before the log has one. */
  readonly mapRoot: Uint8Array;
  readonly mac: Uint8Array;
}

/** A node of the head map. */
export interface LogMapRow {
  /** Nibbles of the keys below the node, in hex. Empty for the root. */
  readonly prefix: string;
  /** The bytes of the node. They need no MAC: the root commits to them. */
  readonly node: Uint8Array;
}

/** An archive file and a summary of its content. */
export interface ArchiveRow {
  /** The name of the file. */
  readonly name: string;
  /** JSON: digest, counts and times. Opaque to the store. */
  readonly body: string;
  readonly mac: Uint8Array;
}

/**
 * Marks an activity whose row was moved into an archive file. Stays if votes can name the activity, or an earlier release moved it, whose
 * leaves are still stored. Otherwise it exists only within the transaction that replaces it by a span.
 */
export interface ArchivedRow {
  readonly organizationId: string;
  readonly activityId: string;
  readonly revision: number;
  readonly fingerprint: string;
  /** The name of the file. */
  readonly archive: string;
  /** MAC of the moved row. */
  readonly activityMac: Uint8Array;
  /** Covers all other fields. */
  readonly mac: Uint8Array;
}

/** The activities of one organization in one archive file, whose leaves are in the file too. */
export interface ArchiveSpanRow {
  readonly organizationId: string;
  readonly lastId: string;
  /** The name of the file. */
  readonly archive: string;
  readonly firstId: string;
  /** Every leaf of the span is older than this time. */
  readonly beforeMs: number;
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly firstLeaf: number;
  readonly lastLeaf: number;
  /** Number of activities. Other activities with ids in between may still be stored. */
  readonly activities: number;
  /** Number of leaves. */
  readonly leaves: number;
  /** Covers all other fields. */
  readonly mac: Uint8Array;
}

/** One count of a bucket, with the running total. */
export interface UsagePointRow {
  readonly organizationId: string;
  readonly bucket: string;
  /** Number of the point within its bucket, from 1. */
  readonly revision: number;
  /** Never earlier than the previous point, even if a clock goes back. */
  readonly atMs: number;
  /** Total of the bucket up to and including this point: an integer as decimal text, because it can be large. */
  readonly total: string;
  /** The activity that was counted. */
  readonly activityId: string;
  /** MAC of the previous point. Empty for the first point. */
  readonly previous: Uint8Array;
  /** Covers all other fields. */
  readonly mac: Uint8Array;
}

/** A transaction that the service sends. */
export interface SendRow {
  readonly organizationId: string;
  readonly id: string;
  /** CAIP-2 name. */
  readonly chain: string;
  /** The address that it comes from, in one spelling. */
  readonly account: string;
  readonly nonce: number;
  readonly state: SendState;
  /** Counts changes, from 1. */
  readonly revision: number;
  readonly body: string;
  /** What its caller named it, hashed. Empty without a name. */
  readonly requestKey: string;
  /** Hash of what makes another transaction the same one. Empty on chains with nonces. */
  readonly bytesKey: string;
  /** Covers all other fields. */
  readonly mac: Uint8Array;
}

/** The last four are final. */
export type SendState = 'INITIALIZED' | 'BROADCASTING' | 'INCLUDED' | 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'UNKNOWN';

/** An account that the service sends from, on one chain. */
export interface SendAccountRow {
  readonly organizationId: string;
  readonly chain: string;
  readonly account: string;
  /** Counts changes, from 1. */
  readonly revision: number;
  readonly body: string;
  /** Covers the fields above. */
  readonly mac: Uint8Array;
  /** When its transactions are to be looked at. 0 if there is nothing to do. Not covered by the MAC: it only determines when. */
  readonly dueAtMs: number;
}

/** The tables that commits put rows into. */
export interface Rows {
  readonly records: RecordRow;
  readonly resources: ResourceRow;
  readonly tombstones: TombstoneRow;
  readonly secrets: SecretRow;
  readonly lookups: LookupRow;
  readonly data_keys: DataKeyRow;
  readonly outbox: OutboxRow;
  readonly events: EventRow;
  readonly event_bodies: EventBodyRow;
  readonly sends: SendRow;
  readonly send_accounts: SendAccountRow;
}

/** Primary keys of these tables. */
export interface RowKeys {
  readonly records: Pick<RecordRow, 'organizationId' | 'kind' | 'id'>;
  readonly resources: Pick<ResourceRow, 'organizationId' | 'kind' | 'id'>;
  readonly tombstones: Omit<TombstoneRow, 'mac'>;
  readonly secrets: Pick<SecretRow, 'organizationId' | 'id'>;
  readonly lookups: LookupRow;
  readonly data_keys: Pick<DataKeyRow, 'organizationId'>;
  readonly outbox: Pick<OutboxRow, 'organizationId' | 'id'>;
  readonly events: Pick<EventRow, 'organizationId' | 'id' | 'endpointId'>;
  readonly event_bodies: Pick<EventBodyRow, 'organizationId' | 'id'>;
  readonly sends: Pick<SendRow, 'organizationId' | 'id'>;
  readonly send_accounts: Pick<SendAccountRow, 'organizationId' | 'chain' | 'account'>;
}

/** A row to insert, or to replace if its key exists. Rows of `events` and `event_bodies` are never replaced. */
export type Put<T extends keyof Rows = keyof Rows> = {
  readonly [N in T]: { readonly op: 'put'; readonly table: N; readonly row: Rows[N] };
}[T];

/** The tables that commits delete rows from. */
export type Shrinking = 'records' | 'resources' | 'secrets' | 'lookups';

/** A row to delete. Deleting a missing row does nothing. */
export type Delete<T extends Shrinking = Shrinking> = {
  readonly [N in T]: { readonly op: 'delete'; readonly table: N; readonly row: RowKeys[N] };
}[T];

/** The head of a new organization. The commit is rejected if the organization exists. */
export interface InsertHead {
  readonly op: 'insert';
  readonly table: 'organizations';
  readonly row: HeadRow;
}

/** One row to write. */
export type Write = Put | Delete | InsertHead;

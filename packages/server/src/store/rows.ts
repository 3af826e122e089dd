/** The rows of the store. Plain data that may cross a process boundary. `tables.ts` says how they are stored. */

/** What decisions depend on and a snapshot contains in full: users, credentials, tags, policies, the organization itself. */
export interface RecordRow {
  readonly organizationId: string;
  readonly kind: string;
  readonly id: string;
  readonly body: string;
  readonly mac: Uint8Array;
}

/** What a snapshot knows of a wallet or private key. */
export type KeyRow = Pick<ResourceRow, 'kind' | 'id' | 'mac'>;

/**
 * What can be numerous and is looked up one by one: wallets, private keys, wallet accounts. `parentId` is a wallet account's
 * wallet, else the empty string.
 */
export interface ResourceRow {
  readonly organizationId: string;
  readonly kind: string;
  readonly id: string;
  readonly parentId: string;
  readonly body: string;
  readonly mac: Uint8Array;
}

/** An encrypted secret. Its associated data binds it to organization, id and purpose, so the row needs no MAC. */
export interface SecretRow {
  readonly organizationId: string;
  readonly id: string;
  readonly ciphertext: Uint8Array;
}

/** An index entry: `kind` and `value` lead to `id` within one organization. Never trusted: the row itself must confirm it. */
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
}

/** One activity. */
export interface ActivityRow {
  readonly organizationId: string;
  readonly id: string;
  /** Counts the writes of the activity, from 0. */
  readonly revision: number;
  readonly fingerprint: string;
  /** The time that the request names. One fingerprint always has the same, so it may lead the index of fingerprints. */
  readonly requestedAtMs: number;
  readonly type: string;
  readonly status: string;
  /** What has no column of its own, as JSON text: intent, result, votes, decisions, times. Opaque to the store. */
  readonly body: string;
  /** Over all the other fields; the time is in the body. */
  readonly mac: Uint8Array;
}

/** An installation-wide setting, such as the wrapped integrity key. */
export interface SettingRow {
  readonly name: string;
  readonly body: string;
}

/**
 * A message to somebody outside, such as a mail. It is committed with the activity that sends it, and delivered afterwards.
 * Its associated data binds the ciphertext to organization and id, so the row needs no MAC.
 */
export interface OutboxRow {
  readonly organizationId: string;
  readonly id: string;
  readonly state: OutboxState;
  /** When to try next. For a message that no longer waits, when it left that state. */
  readonly dueAtMs: number;
  /** After this time the message is useless to its receiver. */
  readonly expiresAtMs: number;
  /** How often delivery was started. */
  readonly attempts: number;
  /** Why the last attempt failed, without any part of the message. Empty if none has failed. */
  readonly fault: string;
  readonly ciphertext: Uint8Array;
}

/** `parked`: the service gave up, and keeps the message for inspection until it expires. `kept`: in the development mailbox. */
export type OutboxState = 'waiting' | 'parked' | 'kept';

/**
 * An update of an activity for one webhook endpoint. It is committed with the activity, and delivered afterwards.
 * `organizationId` owns the activity. `listenerId` owns the endpoint: the same organization or its parent.
 */
export interface EventRow {
  readonly organizationId: string;
  readonly id: string;
  readonly listenerId: string;
  readonly endpointId: string;
  readonly createdAtMs: number;
  /** What is sent, byte for byte. */
  readonly body: string;
  readonly mac: Uint8Array;
}

/** `seq` grows in the order of commits, as far as one waited for another. */
export interface StoredEvent extends EventRow {
  readonly seq: number;
}

/** One step of an activity that waits to become a leaf of the log. It is committed with the activity. */
export interface LogEntryRow {
  readonly organizationId: string;
  readonly activityId: string;
  readonly revision: number;
  /** What the leaf will say, as canonical JSON. Opaque to the store. */
  readonly body: string;
  readonly mac: Uint8Array;
}

/** `seq` grows in the order of commits, as far as one waited for another. */
export interface QueuedLogEntry extends LogEntryRow {
  readonly seq: number;
}

/** A leaf of the log. The database keeps one for each revision of each activity. */
export interface LogLeafRow {
  readonly organizationId: string;
  readonly activityId: string;
  readonly revision: number;
  readonly leafIndex: number;
  /** The number of the leaf among those of its organization, from 1. */
  readonly sequence: number;
  /** Canonical JSON. */
  readonly opening: string;
  /** The data of the leaf. It needs no MAC: the tree commits to it. */
  readonly commitment: Uint8Array;
}

/** How many activities of an organization came to a status in an hour. */
export interface ActivityCountRow {
  readonly organizationId: string;
  /** Hours since 1970, in UTC. */
  readonly hour: number;
  readonly type: string;
  readonly status: string;
  readonly amount: number;
}

/** How deliveries to a webhook endpoint of the organization went last. Zero means never. */
export interface EventReceiverRow {
  readonly organizationId: string;
  readonly endpointId: string;
  readonly takenAtMs: number;
  readonly failedAtMs: number;
  /** Why the receiver did not take an event, for people of the organization. */
  readonly fault: string;
  readonly retryAtMs: number;
}

/** A user whose approval may be wanted. */
export interface ApprovalNoticeRow {
  readonly organizationId: string;
  readonly userId: string;
  /** When to tell the user. 0 if there is nothing to tell. */
  readonly dueAtMs: number;
  /** When the user was told last. 0 if that never happened. */
  readonly toldAtMs: number;
  /** How often something came up. */
  readonly wishes: number;
}

/** A tile of the tree, as wide as it is by now. A narrower one of the past is the beginning of it. */
export interface LogTileRow {
  readonly level: number;
  readonly tileIndex: number;
  readonly hashes: Uint8Array;
}

/** The last leaf of an organization. */
export interface LogHeadRow {
  readonly organizationId: string;
  readonly sequence: number;
  readonly leafHash: Uint8Array;
  readonly mac: Uint8Array;
}

/** The tree as it is now. There is one row, named `log`. */
export interface LogStateRow {
  readonly name: 'log';
  readonly size: number;
  readonly root: Uint8Array;
  /** The hashes of the complete subtrees that the tree is made of, largest first. */
  readonly frontier: Uint8Array;
  readonly mac: Uint8Array;
}

/** An archive file: which one, and what it holds. */
export interface ArchiveRow {
  /** The name of the file. */
  readonly name: string;
  /** JSON: digest, counts and times. Opaque to the store. */
  readonly body: string;
  readonly mac: Uint8Array;
}

/** The mark of an activity whose row was moved into an archive file. Its leaves stay. */
export interface ArchivedRow {
  readonly organizationId: string;
  readonly activityId: string;
  readonly revision: number;
  readonly fingerprint: string;
  /** The name of the file. */
  readonly archive: string;
  /** The MAC of the row that was moved. */
  readonly activityMac: Uint8Array;
  /** Over all the other fields. */
  readonly mac: Uint8Array;
}

/** One count of a bucket, and what the bucket has come to with it. */
export interface UsagePointRow {
  readonly organizationId: string;
  readonly bucket: string;
  /** Counts the points of the bucket, from 1. */
  readonly revision: number;
  /** Never before that of the point before it, whatever clocks say. */
  readonly atMs: number;
  /** Everything that the bucket has counted, up to and with this point: a whole number as decimal text, because it can be large. */
  readonly total: string;
  /** The activity that was counted. */
  readonly activityId: string;
  /** The MAC of the point before it; empty for the first. */
  readonly previous: Uint8Array;
  /** Over all the other fields. */
  readonly mac: Uint8Array;
}

/** The tables that commits put rows into. */
export interface Rows {
  readonly records: RecordRow;
  readonly resources: ResourceRow;
  readonly secrets: SecretRow;
  readonly lookups: LookupRow;
  readonly data_keys: DataKeyRow;
  readonly outbox: OutboxRow;
  readonly events: EventRow;
}

/** The key that identifies a row of such a table. */
export interface RowKeys {
  readonly records: Pick<RecordRow, 'organizationId' | 'kind' | 'id'>;
  readonly resources: Pick<ResourceRow, 'organizationId' | 'kind' | 'id'>;
  readonly secrets: Pick<SecretRow, 'organizationId' | 'id'>;
  readonly lookups: LookupRow;
  readonly data_keys: Pick<DataKeyRow, 'organizationId'>;
  readonly outbox: Pick<OutboxRow, 'organizationId' | 'id'>;
  readonly events: Pick<EventRow, 'organizationId' | 'id' | 'endpointId'>;
}

/** A row to insert, or to replace if its key exists. Rows of `events` are never replaced. */
export type Put<T extends keyof Rows = keyof Rows> = {
  readonly [N in T]: { readonly op: 'put'; readonly table: N; readonly row: Rows[N] };
}[T];

/** The tables that commits delete rows from. */
export type Shrinking = 'records' | 'resources' | 'secrets' | 'lookups';

/** A row to delete. Deleting a missing row does nothing. */
export type Delete<T extends Shrinking = Shrinking> = {
  readonly [N in T]: { readonly op: 'delete'; readonly table: N; readonly row: RowKeys[N] };
}[T];

/** A new organization's head. The commit is refused if the organization exists. */
export interface InsertHead {
  readonly op: 'insert';
  readonly table: 'organizations';
  readonly row: HeadRow;
}

/** One row to write. */
export type Write = Put | Delete | InsertHead;

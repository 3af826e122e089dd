import type { BacklogStore } from './backlog.ts';
import type { CountStore } from './count-store.ts';
import type { LogStore } from './log-store.ts';
import type { NoticeStore } from './notice-store.ts';
import type { Page } from './page.ts';
import type {
  ActivityRow,
  ArchivedRow,
  ArchiveRow,
  ArchiveSpanRow,
  DataKeyRow,
  EventDropRow,
  EventReceiverRow,
  EventRow,
  EventWindowRow,
  HeadRow,
  KeyRow,
  LogEntryRow,
  LogLeafRow,
  LookupRow,
  MailEventRow,
  OutboxRow,
  OutboxState,
  RecordRow,
  ResourceRow,
  SecretRow,
  SessionUseRow,
  SettingRow,
  StoredEvent,
  TombstoneRow,
  Write,
} from './rows.ts';
import type { SendAccountClaim, SendStore } from './send-store.ts';
import type { Value } from './statement.ts';
import type { TableShape } from './table.ts';
import type { TermStore } from './term-store.ts';
import type { UsageClaim, UsageStore } from './usage-store.ts';

export type { Page } from './page.ts';

/**
 * The version of an organization and the MAC over everything that decisions depend on.
 * SECURITY: two heads are equal only if both parts are. An attacker who can write the database can edit the version, but not the MAC.
 */
export type Head = Pick<HeadRow, 'version' | 'mac'>;

/**
 * Everything that one activity writes, and the organization version that its decision was based on.
 * A commit writes rows of its organization and of organizations that it inserts. Only lookups may belong to any organization.
 */
export interface Commit {
  readonly organizationId: string;
  /** The head that the decision was based on. Ignored if the commit inserts its own organization, which must not exist yet. */
  readonly expected: Head;
  /**
   * The organization's next head, if the commit changes what decisions depend on. Its version is above the expected one.
   * Without a head the version stays, and any number of such commits can run concurrently on all nodes.
   */
  readonly head?: Head;
  /**
   * Revision 0 inserts; revision n replaces revision n - 1 and is rejected if another revision is stored.
   * Absent for cleanup by the service itself: such a commit must move the head.
   */
  readonly activity?: ActivityRow;
  /** Log entry for this revision of the activity. Stored if and only if the activity is stored. */
  readonly logEntry?: LogEntryRow;
  readonly writes: readonly Write[];
  /** Another organization that the decision depends on, such as the parent whose user acts. Its head must not change either. */
  readonly alsoExpect?: Head & { readonly organizationId: string };
  /**
   * Usage that the decision read, and the points that it adds. Accepted only if the newest point of every bucket is the expected one;
   * within a batch, a commit sees the points of earlier commits. Buckets belong to the organization or to that of `alsoExpect`.
   */
  readonly usage?: readonly UsageClaim[];
  /**
   * Accounts that the commit sends from. Accepted only if each is stored as expected; within a batch, a commit sees the rows of earlier
   * commits. The next row is in `writes`.
   */
  readonly accounts?: readonly SendAccountClaim[];
}

export type CommitOutcome =
  | { readonly taken: true }
  /** The organization does not exist or has another head than expected, or an organization to insert exists. Checked first. */
  | { readonly taken: false; readonly reason: 'VERSION_MOVED' }
  /** An activity with this fingerprint exists in the organization. */
  | { readonly taken: false; readonly reason: 'FINGERPRINT_EXISTS'; readonly activityId: string }
  /** The activity is stored at another revision, or its status is terminal. */
  | { readonly taken: false; readonly reason: 'REVISION_MOVED' }
  /**
   * A secret was sealed under a data key that was replaced since, or a data key was wrapped by a root key that is being replaced. Checked
   * after the versions.
   */
  | { readonly taken: false; readonly reason: 'KEY_MOVED' }
  /** The newest point of a bucket is not the expected one. Checked after the versions and before the activity. */
  | { readonly taken: false; readonly reason: 'USAGE_MOVED' }
  /** Another transaction of the same account was committed, or a nonce was freed. Checked with the usage. */
  | { readonly taken: false; readonly reason: 'NONCE_MOVED' }
  /** A bug of the caller: the entry breaks a rule, which `detail` describes, and a retry would break it again. */
  | { readonly taken: false; readonly reason: 'INVALID'; readonly detail: string };

/** A position in the order of kind and id. */
export type Place = Pick<RecordRow, 'kind' | 'id'>;

export interface StoredOrganization {
  readonly head: HeadRow;
  readonly records: readonly RecordRow[];
  /** Resources without a parent: wallets and private keys. */
  readonly keys: readonly KeyRow[];
  /** Whether the limit may have cut off records or keys. */
  readonly more: boolean;
}

/** What changed in an organization after a version. Rows that were written and removed again since then have left only tombstones. */
export interface StoredChanges {
  readonly head: HeadRow;
  readonly records: readonly RecordRow[];
  /** Wallets and private keys. */
  readonly keys: readonly KeyRow[];
  readonly tombstones: readonly Pick<TombstoneRow, 'kind' | 'id' | 'mac'>[];
  /** Whether the limit may have cut off rows. */
  readonly more: boolean;
}

/** An absent or empty list matches everything. */
export interface ActivityFilter {
  readonly statuses?: readonly string[];
  readonly types?: readonly string[];
}

/**
 * The only access to persistence. Two adapters implement it, and one conformance suite tests both.
 * INVARIANT: the organization comes first in every reader, and no reader returns a row of another organization.
 */
export interface Store {
  /**
   * Commits a batch in one durable transaction. When the promise resolves, every accepted commit survives a crash.
   * Each commit is accepted or rejected individually, and a rejected commit leaves no trace. Order within an organization is preserved: a
   * commit sees the version that earlier commits of the same batch left.
   * Rejects with `StoreUnavailable` if the database fails. Its `outcomeUnknown` is true if the batch may still be stored.
   * INVARIANT: with a `fence`, the same transaction checks that this setting is stored exactly as given. Otherwise nothing is written,
   * and the promise rejects with `StoreFenced`. So a server of an earlier epoch writes nothing, no matter how it reached this database.
   */
  commit(batch: readonly Commit[], fence?: SettingRow): Promise<readonly CommitOutcome[]>;

  /**
   * Waits for a fair lock on changes to an organization, then runs `work`. After a process lost a change to another process, no other
   * process changes the organization until the first one had the lock. Only for fairness: correctness does not depend on it.
   */
  withLock<T>(organizationId: string, work: () => Promise<T>): Promise<T>;

  readonly organizations: {
    head(organizationId: string): Promise<HeadRow | undefined>;
    /**
     * Head, records and the MACs of all resources without a parent (wallets and private keys), from one snapshot.
     * Both lists are sorted by kind and id. `limit` applies to each of them.
     */
    snapshot(organizationId: string, limit?: number): Promise<StoredOrganization | undefined>;
    /** Head and what changed after a version, from one snapshot. `limit` applies to each list. The cost does not depend on the rest. */
    changes(organizationId: string, afterVersion: number, limit: number): Promise<StoredChanges | undefined>;
    /** Records after a position, in order. */
    recordsAfter(organizationId: string, after: Place, limit: number): Promise<readonly RecordRow[]>;
    /** Resources without a parent after a position, in order. */
    keysAfter(organizationId: string, after: Place, limit: number): Promise<readonly KeyRow[]>;
    /** Heads of organizations with ids above `afterId`, ascending. For maintenance only. */
    heads(afterId: string, limit: number): Promise<readonly HeadRow[]>;
    /** Organization ids above `afterId`, ascending. For maintenance only. */
    scan(afterId: string, limit: number): Promise<readonly string[]>;
  };

  readonly resources: {
    get(organizationId: string, kind: string, id: string): Promise<ResourceRow | undefined>;
    /** Resources with these ids, oldest first. Skips missing resources. */
    many(organizationId: string, kind: string, ids: readonly string[]): Promise<readonly ResourceRow[]>;
    /** All resources of a kind, oldest first. `parentId` selects one wallet. */
    list(organizationId: string, kind: string, parentId?: string): Promise<readonly ResourceRow[]>;
    page(organizationId: string, kind: string, page: Page, parentId?: string): Promise<readonly ResourceRow[]>;
    count(organizationId: string, kind: string, parentId?: string): Promise<number>;
  };

  readonly secrets: {
    get(organizationId: string, id: string): Promise<SecretRow | undefined>;
  };

  readonly lookups: {
    /** Ids for a value: at most `limit`, newest first, within the cursors of the page. */
    find(organizationId: string, kind: string, value: string, page: Page): Promise<readonly LookupRow[]>;
    /** Like `find`, for ids of organizations. Each result includes the organization's own record, if it exists. */
    findOrganizations(
      organizationId: string,
      kind: string,
      value: string,
      page: Page,
    ): Promise<readonly ({ readonly id: string } & Partial<Pick<RecordRow, 'writtenBy' | 'mac' | 'body'>>)[]>;
  };

  readonly activities: {
    get(organizationId: string, id: string): Promise<ActivityRow | undefined>;
    /** The activity of a request. */
    byRequest(
      organizationId: string,
      request: Pick<ActivityRow, 'requestedAtMs' | 'fingerprint'>,
    ): Promise<ActivityRow | undefined>;
    /** The activity that a vote names by fingerprint. Excludes activities that were executed immediately, without votes. */
    byFingerprint(organizationId: string, fingerprint: string): Promise<ActivityRow | undefined>;
    /** The same for several fingerprints, in one statement for up to 64 of them. In no order. */
    byFingerprints(organizationId: string, fingerprints: readonly string[]): Promise<readonly ActivityRow[]>;
    page(organizationId: string, filter: ActivityFilter, page: Page): Promise<readonly ActivityRow[]>;
    /** Number of activities in a span, counted up to `most`. */
    count(organizationId: string, span: ActivitySpan, most: number): Promise<number>;
    /** Id of the newest activity in a span after the first `count`. Undefined if the span has at most `count` activities. */
    newest(organizationId: string, span: ActivitySpan, count: number): Promise<string | undefined>;
  };

  /** Messages to deliver. Not scoped to an organization, because one mailer serves all of them. */
  readonly outbox: {
    /**
     * Claims up to `limit` due messages and increments their attempts. No other node can claim them for `leaseMs`; then they are due
     * again, unless they were settled.
     * Serves organizations round-robin in id order, starting after `afterOrganizationId`. Each gets an equal share, most overdue messages
     * first. A long queue of one organization does not delay the others.
     */
    claim(nowMs: number, leaseMs: number, limit: number, afterOrganizationId?: string): Promise<readonly OutboxRow[]>;
    /**
     * Adds a message that belongs to no activity. Does nothing if the id exists. Returns false if the message was sealed under a data key
     * that was replaced since.
     */
    add(message: OutboxRow): Promise<boolean>;
    /**
     * Ends a claim. Returns false if the claim was lost: the lease expired and another node claimed the message, or the message is gone.
     */
    finish(claim: Claim, outcome: ClaimOutcome): Promise<boolean>;
    /** When the next waiting message is due. Undefined if no message is waiting. */
    nextDueMs(): Promise<number | undefined>;
    /** Removes and returns the messages that expired before they were delivered. */
    dropExpired(nowMs: number): Promise<readonly Omit<OutboxRow, 'ciphertext'>[]>;
    /** Messages in one state, newest first. */
    list(state: OutboxState, limit: number): Promise<readonly OutboxRow[]>;
    /** Removes all kept messages except the newest ones. */
    trimKept(newest: number): Promise<void>;
  };

  /** Transactions that the service sends. */
  readonly sends: SendStore;

  /** Events for webhook endpoints. As with the outbox, one dispatcher serves all organizations. */
  readonly events: {
    /**
     * Scans `steps` endpoints with queued events in id order, after the given one. Returns those that are neither leased nor paused.
     * `walkedTo` is the position to continue from, undefined at the end.
     */
    due(nowMs: number, steps: number, afterEndpointId?: string): Promise<DueEndpoints>;
    /** Acquires or extends the lease to deliver to an endpoint. Returns false while another holder has it, or during a pause. */
    lease(endpoint: EndpointKey, holder: string, nowMs: number, leaseMs: number): Promise<boolean>;
    /** Releases the lease. Does nothing if the lease was lost. */
    release(endpoint: EndpointKey, holder: string): Promise<void>;
    /** Releases the lease and pauses the endpoint until a time. Does nothing if the lease was lost. */
    pause(endpoint: EndpointKey, holder: string, untilMs: number): Promise<void>;
    /** Ends a pause. Does nothing if the endpoint is leased. */
    wake(endpointId: string): Promise<void>;
    /** The oldest events of an endpoint, in order. */
    oldest(endpoint: EndpointKey, limit: number): Promise<readonly StoredEvent[]>;
    /**
     * The first event of each organization not in `exceptOf`: at most `limit`, in id order, after the given organization.
     * The cost does not depend on the number of queued events.
     */
    firstOfOthers(
      endpoint: EndpointKey,
      limit: number,
      exceptOf: readonly string[],
      afterOrganizationId?: string,
    ): Promise<readonly StoredEvent[]>;
    /** Those of these events that are still queued, in order. */
    some(endpoint: EndpointKey, seqs: readonly number[]): Promise<readonly StoredEvent[]>;
    /** The window of an endpoint that receives batches. Undefined before its first one. */
    window(endpoint: EndpointKey): Promise<EventWindow | undefined>;
    /** Replaces the window. Returns false, and changes nothing, if the stored one does not start with `expectedFirst`. */
    replaceWindow(endpoint: EndpointKey, window: EventWindow, expectedFirst: number | undefined): Promise<boolean>;
    remove(endpoint: EndpointKey, seqs: readonly number[]): Promise<void>;
    /** Scans `steps` endpoints with queued events in id order, after the given one, also those that are leased or paused. */
    queues(steps: number, afterEndpointId?: string): Promise<DueEndpoints>;
    /** Numbers and stored bytes of queued events of an endpoint, oldest first, above a number. */
    sizes(endpoint: EndpointKey, limit: number, aboveSeq?: number): Promise<readonly EventSize[]>;
    /** Removes the newest events from a number on, at most `limit`. Returns how many. */
    removeFrom(endpoint: EndpointKey, seq: number, limit: number): Promise<number>;
    /** Adds to the number of events that an endpoint lost. */
    noteDropped(endpoint: EndpointKey, count: number, atMs: number): Promise<void>;
    /**
     * Records the result of a delivery. Zero for `takenAtMs` or `failedAtMs` keeps the stored time. `fault` changes
     * only with `failedAtMs`.
     */
    note(receiver: EventReceiverRow): Promise<void>;
    /** Delivery state of these endpoints of the organization. Queued events are counted up to `mostWaiting`. */
    states(organizationId: string, endpointIds: readonly string[], mostWaiting: number): Promise<readonly EndpointState[]>;
  };

  /**
   * Daily usage counters. Not authenticated: a counter grants no rights, only another attempt or another message.
   * Counters are written outside of commits, so that a limit holds exactly across all nodes.
   */
  readonly counters: {
    /** Adds to a counter. Returns false and adds nothing if the result would exceed `limit`. */
    add(counter: CounterKey, amount: number, limit?: number): Promise<boolean>;
    /** 0 for a missing counter. */
    amount(counter: CounterKey): Promise<number>;
    /** Deletes the counters of earlier days. */
    sweep(beforeDay: number): Promise<void>;
  };

  readonly backlog: BacklogStore;

  readonly log: LogStore;

  readonly counts: CountStore;

  readonly terms: TermStore;

  readonly notices: NoticeStore;

  /** What mail servers said about mails. Bounded by age and, per organization, by number. */
  readonly mailEvents: {
    /** Adds an event. The oldest events of the organization are removed if it then has more than `most`. */
    add(event: MailEventRow, most: number): Promise<void>;
    /** Events of one recipient, newest first. An empty type matches every type. */
    page(organizationId: string, recipient: string, eventType: string, page: Page): Promise<readonly MailEventRow[]>;
    /** Deletes earlier events of all organizations. */
    sweep(beforeMs: number): Promise<void>;
  };

  /** How sessions were opened and last used. Bounded by the sessions that have not expired. */
  readonly sessionUses: {
    /**
     * Stores at most `MOST_SESSION_USES` rows, of different sessions or kinds. How a session was opened never changes, and its last use
     * only if the stored one is at least `everyMs` older.
     */
    add(rows: readonly SessionUseRow[], everyMs: number): Promise<void>;
    /** Those of a user, or of one session of the user. */
    of(organizationId: string, userId: string, sessionId?: string): Promise<readonly SessionUseRow[]>;
    /** Deletes those of one session. */
    remove(organizationId: string, userId: string, sessionId: string): Promise<void>;
    /** Deletes those of all sessions that expired before. */
    sweep(beforeMs: number): Promise<void>;
  };

  readonly usage: UsageStore;

  /** Activities that were moved into archive files. */
  readonly archive: {
    /** The mark of a moved activity. */
    get(organizationId: string, activityId: string): Promise<ArchivedRow | undefined>;
    byFingerprint(organizationId: string, fingerprint: string): Promise<ArchivedRow | undefined>;
    /** Marks of an organization with activity ids above `afterId`, in order. */
    scan(organizationId: string, afterId: string, limit: number): Promise<readonly ArchivedRow[]>;
    file(name: string): Promise<ArchiveRow | undefined>;
    files(): Promise<readonly ArchiveRow[]>;
    /** Terminal activities with ids above `afterId` and below `beforeId`, in order. */
    ended(organizationId: string, afterId: string, beforeId: string, limit: number): Promise<readonly ActivityRow[]>;
    /**
     * Stores the record of a file, and deletes the rows of its activities and their leaves, in one durable transaction. Spans replace the
     * marks of activities whose leaves move too, except for those that votes can name. Returns false and changes nothing if a stored row
     * does not match its mark, or a leaf is missing.
     */
    move(file: ArchiveRow, moved: MovedActivities): Promise<boolean>;
    /**
     * Returns the space of removed rows to the file system. Works in small steps beside the service.
     * A SQLite file of an earlier release is rebuilt instead, if no other process uses the installation. Otherwise it keeps its size, and
     * the result is false.
     */
    reclaim(isAlone: boolean): Promise<boolean>;
    /** Spans of an organization with last ids above `afterId`, in order. */
    spans(organizationId: string, afterId: string, limit: number): Promise<readonly ArchiveSpanRow[]>;
  };

  /** The whole database, for backups. */
  readonly copy: {
    /** All rows of all tables from one snapshot, in the order of `copiedTables`. Does not block writers. */
    read(): AsyncGenerator<CopiedRows>;
    /** Total number of rows in all tables. For a progress bar. */
    count(): Promise<number>;
    /** Whether only the schema and the named settings are stored. */
    isEmpty(except: readonly string[]): Promise<boolean>;
  };

  /** Replaces texts or bytes of stored rows by another form of the same content. For migrations and rotations only. */
  readonly recode: {
    /** Rows after a key, in key order, with the values of all columns. Undefined starts at the first row. */
    rowsAfter(table: TableShape, after: readonly Value[] | undefined, limit: number): Promise<readonly (readonly Value[])[]>;
    /** Replaces texts in one durable transaction. Skips a row whose text is no longer `from`. */
    replace(table: TableShape, column: string, texts: readonly RecodedText[]): Promise<void>;
    /** Removes the earlier contents of rows from the files, as far as the engine can. False if another process prevented it. */
    scrub(): Promise<boolean>;
  };

  /**
   * Changes anything in one durable transaction: to fill an empty database, or to raise the epoch. Nothing is stored before `work`
   * returns, and nothing at all if it throws. Commits of other processes wait. Do not use this store otherwise until the promise settles.
   */
  maintain<T>(work: (maintenance: Maintenance) => Promise<T>): Promise<T>;

  readonly vault: {
    dataKey(organizationId: string): Promise<DataKeyRow | undefined>;
    /**
     * Data keys that are not wrapped by `rootKeyId`, which a rotation still has to rewrap. In the order of organization ids.
     * Pass the last id seen as `afterId`, so a long rotation does not read the finished part again.
     */
    dataKeysNotUnder(rootKeyId: string, limit: number, afterId?: string): Promise<readonly DataKeyRow[]>;
    /** Data keys of a lower generation, which a rotation still has to replace. In the order of organization ids. */
    dataKeysBelow(generation: number, limit: number, afterId?: string): Promise<readonly DataKeyRow[]>;
    /** Data keys with a previous one beside them. In the order of organization ids. */
    dataKeysInPairs(limit: number, afterId?: string): Promise<readonly DataKeyRow[]>;
    /** Replaces stored data keys in one durable transaction. Skips a key that is not stored as `from` any more. */
    replaceDataKeys(keys: readonly { readonly from: DataKeyRow; readonly to: DataKeyRow }[]): Promise<void>;
    setting(name: string): Promise<SettingRow | undefined>;
    /** Writes the setting if the name is new. Always returns the stored setting, so that nodes that start concurrently agree. */
    settingOnce(setting: SettingRow): Promise<SettingRow>;
    /**
     * Like `settingOnce`. Commits of other processes that did not find the setting have ended when this returns, and later ones find it.
     */
    settingAfterCommits(setting: SettingRow): Promise<SettingRow>;
    /**
     * Writes a setting durably if its stored body is `expectedBody`; undefined expects that the setting does not exist.
     * Otherwise returns false and changes nothing.
     */
    replaceSetting(setting: SettingRow, expectedBody: string | undefined): Promise<boolean>;
  };

  /**
   * Locks the installation until `release`, or until the process exits or crashes. Servers hold the lock shared. Maintenance that needs
   * all servers stopped holds it exclusive. Throws a `StoreError` immediately if another holder conflicts.
   * Releasing twice is harmless. Releasing an exclusive lock that was lost rejects with a `StoreError`.
   */
  lockInstallation(mode: LockMode): Promise<Release>;
  /** Facts for `doctor` and the startup summary: durability settings, schema version, size. */
  describe(): Promise<StoreDescription>;
  /**
   * Like `lockInstallation`, for a lock with a name. Undefined if another holder conflicts. `release(true)` also removes what the lock
   * leaves behind, if its name is not used again.
   */
  tryNamedLock(name: string, mode: LockMode): Promise<NamedRelease | undefined>;
  /** Resolves when a trivial read works, rejects otherwise. */
  ping(): Promise<void>;
  /** The connections of this process, and the requests that wait for one. Absent in an engine without a pool. */
  connections?(): { readonly open: number; readonly idle: number; readonly waiting: number };
  /** Ends the work in progress, releases locks and closes. Closing twice is harmless. */
  close(): Promise<void>;
}

/** Activities to move into an archive file. */
export interface MovedActivities {
  /** One for each activity. */
  readonly marks: readonly ArchivedRow[];
  /** All leaves of these activities, or none if their leaves stay. */
  readonly leaves: readonly Pick<LogLeafRow, 'organizationId' | 'activityId' | 'revision' | 'leafIndex'>[];
  /** One for each organization, if leaves move. */
  readonly spans: readonly ArchiveSpanRow[];
}

/** Activities with ids between two bounds, of some types or of all. */
export interface ActivitySpan {
  readonly above: string;
  readonly below: string;
  /** Empty for all types. */
  readonly types: readonly string[];
}

/** Rows of one table, each with its values in the order of the table's columns. */
export interface CopiedRows {
  readonly table: TableShape;
  readonly rows: readonly (readonly Value[])[];
}

/** A text, or bytes, of the row with this key, and its replacement. */
export interface RecodedText {
  readonly key: readonly Value[];
  readonly from: Value;
  readonly to: Value;
}

/** A database under maintenance. */
export interface Maintenance {
  put(rows: CopiedRows): Promise<void>;
  /** Makes the database assign numbers above all that were put. Call it before adding anything else. */
  renumber(): Promise<void>;
  /** Inserts or replaces a setting. Undefined removes it. */
  putSetting(name: string, body: string | undefined): Promise<void>;
  /** Reads everything that was put so far. It may add log entries, but must not write anything else. */
  readonly store: Store;
}

/** Identifies a counter. */
export interface CounterKey {
  readonly organizationId: string;
  readonly name: string;
  /** Days since the epoch, in UTC. */
  readonly day: number;
}

/** Stored size of a queued event. */
export interface EventSize {
  readonly seq: number;
  /** Of its body, also if other endpoints share it. */
  readonly bytes: number;
}

/** The numbered events of an endpoint: the event `seqs[i]` has the number `firstSequence + i`. */
export interface EventWindow extends Pick<EventWindowRow, 'streamId' | 'firstSequence'> {
  readonly seqs: readonly number[];
}

/** A webhook endpoint and the organization it belongs to. */
export type EndpointKey = Pick<EventRow, 'listenerId' | 'endpointId'>;

/** Delivery state of an endpoint. */
export interface EndpointState extends Omit<EventReceiverRow, 'organizationId'>, Pick<EventDropRow, 'dropped' | 'droppedAtMs'> {
  readonly waiting: number;
  /** Creation time of the oldest queued event. 0 if the queue is empty. */
  readonly oldestAtMs: number;
}

/** One part of a scan over endpoints. */
export interface DueEndpoints {
  readonly endpoints: readonly EndpointKey[];
  readonly walkedTo: string | undefined;
}

/** One attempt at one message. */
export type Claim = Pick<OutboxRow, 'organizationId' | 'id' | 'attempts'>;

/** Outcome of an attempt. A delivered message is deleted, because its row is no longer needed. */
export type ClaimOutcome =
  | { readonly delivered: true }
  | { readonly delivered: false; readonly state: OutboxState; readonly dueAtMs: number; readonly fault: string };

export type LockMode = 'shared' | 'exclusive';

export type Release = () => Promise<void>;

export type NamedRelease = (remove?: boolean) => Promise<void>;

export interface StoreDescription {
  readonly engine: 'sqlite' | 'postgres';
  readonly engineVersion: string;
  readonly schemaVersion: number;
  readonly location: string;
  /** False when an acknowledged commit could be lost in a crash. */
  readonly durable: boolean;
  /** Number of asynchronous standbys. If one of them takes over, acknowledged commits can be lost. */
  readonly asynchronousStandbys: number;
  readonly facts: Readonly<Record<string, string>>;
}

import type { CountStore } from './count-store.ts';
import type { LogStore } from './log-store.ts';
import type { NoticeStore } from './notice-store.ts';
import type {
  ActivityRow,
  ArchivedRow,
  ArchiveRow,
  DataKeyRow,
  EventReceiverRow,
  EventRow,
  HeadRow,
  KeyRow,
  LogEntryRow,
  LookupRow,
  OutboxRow,
  OutboxState,
  RecordRow,
  ResourceRow,
  SecretRow,
  SettingRow,
  StoredEvent,
  Write,
} from './rows.ts';
import type { Value } from './statement.ts';
import type { TableShape } from './table.ts';
import type { UsageClaim, UsageStore } from './usage-store.ts';

/**
 * The version of an organization and the MAC over all that decisions rest on.
 * SECURITY: two heads are the same only if both parts are. Somebody who writes the database can edit a number, and cannot make a MAC.
 */
export type Head = Pick<HeadRow, 'version' | 'mac'>;

/**
 * Everything that one activity writes, and the organization version that its decision was based on.
 * A commit writes rows of its own organization and of organizations that it inserts. Only lookups may belong to any organization.
 */
export interface Commit {
  readonly organizationId: string;
  /** The head that the decision was based on. Ignored if the commit inserts its own organization, which must not exist yet. */
  readonly expected: Head;
  /**
   * The organization's next head, if the commit changes what decisions depend on. Its version is above the expected one.
   * Without a head the version stays, and any number of such commits may run side by side on all nodes.
   */
  readonly head?: Head;
  /**
   * Revision 0 inserts; revision n replaces revision n - 1 and is refused if another revision is stored.
   * Absent where the service itself tidies up: such a commit must move the head.
   */
  readonly activity?: ActivityRow;
  /** What the log is to say of this revision of the activity. Stored if, and only if, the activity is. */
  readonly logEntry?: LogEntryRow;
  readonly writes: readonly Write[];
  /** Another organization that the decision depends on, such as the parent whose user acts. Its head must not move either. */
  readonly alsoExpect?: Head & { readonly organizationId: string };
  /**
   * What the decision found counted, and what it counts. Taken only if the newest point of every bucket is the expected one; within a
   * batch, a commit sees the points of earlier ones. Buckets are of the organization, or of the other one that is expected.
   */
  readonly usage?: readonly UsageClaim[];
}

export type CommitOutcome =
  | { readonly taken: true }
  /** The organization does not have the expected head or is gone, or one to insert already exists. Checked first. */
  | { readonly taken: false; readonly reason: 'VERSION_MOVED' }
  /** An activity with this fingerprint exists in the organization. */
  | { readonly taken: false; readonly reason: 'FINGERPRINT_EXISTS'; readonly activityId: string }
  /** The activity is stored at another revision, or its status is terminal. */
  | { readonly taken: false; readonly reason: 'REVISION_MOVED' }
  /** Another point is the newest of a bucket. Checked after the versions, and before the activity. */
  | { readonly taken: false; readonly reason: 'USAGE_MOVED' }
  /** A bug of the caller: the entry breaks a rule of the schema (`detail` says which) and always would. */
  | { readonly taken: false; readonly reason: 'INVALID'; readonly detail: string };

/**
 * A page of a list. Lists are newest first, and cursors follow that order: `after` gives the items that follow the cursor, `before`
 * those directly before it. With both, the page holds items between the two, beginning next to `after`.
 * A cursor is a place in the order of ids and need not be the id of an item. `limit` is 1 or more.
 */
export interface Page {
  readonly limit: number;
  readonly before?: string;
  readonly after?: string;
}

/** A place in the order of kind and id. */
export type Place = Pick<RecordRow, 'kind' | 'id'>;

export interface StoredOrganization {
  readonly head: HeadRow;
  readonly records: readonly RecordRow[];
  /** Resources without a parent: wallets and private keys. */
  readonly keys: readonly KeyRow[];
  /** Whether a limit may have left out records or keys. */
  readonly more: boolean;
}

/** An absent or empty list filters nothing. */
export interface ActivityFilter {
  readonly statuses?: readonly string[];
  readonly types?: readonly string[];
}

/**
 * The only way to persistence. Two adapters implement it, and one conformance suite tests both.
 * INVARIANT: the organization comes first in every reader, and no reader returns a row of another organization.
 */
export interface Store {
  /**
   * One durable transaction for the whole batch. When the promise resolves, every accepted commit survives a crash.
   * Each commit is accepted or refused on its own, and a refused one leaves nothing behind. Order within an organization is kept:
   * a commit sees the version that earlier ones of the same batch left.
   * Rejects with `StoreUnavailable` when the database fails. Its `outcomeUnknown` says whether the batch may still be stored.
   * INVARIANT: with a `fence`, the same transaction finds that setting stored exactly as given. Otherwise nothing is written, and the
   * promise rejects with `StoreFenced`. A server of an earlier epoch so writes nothing, however it got to this database.
   */
  commit(batch: readonly Commit[], fence?: SettingRow): Promise<readonly CommitOutcome[]>;

  /**
   * Waits until it is the turn of this process to change an organization, and does the work. Between a process that lost a change to
   * another one and its turn, no other process changes the organization. Only for fairness: nothing relies on it.
   */
  inTurn<T>(organizationId: string, work: () => Promise<T>): Promise<T>;

  readonly organizations: {
    head(organizationId: string): Promise<HeadRow | undefined>;
    /**
     * Head, records and the MACs of all resources without a parent (wallets and private keys), read at one instant.
     * Both are in order of kind and id. With a limit, at most so many of each are read.
     */
    snapshot(organizationId: string, limit?: number): Promise<StoredOrganization | undefined>;
    /** The next records after a place. */
    recordsAfter(organizationId: string, after: Place, limit: number): Promise<readonly RecordRow[]>;
    /** The next resources without a parent after a place. */
    keysAfter(organizationId: string, after: Place, limit: number): Promise<readonly KeyRow[]>;
    /** Every organization id above `afterId`, ascending. For maintenance only. */
    scan(afterId: string, limit: number): Promise<readonly string[]>;
  };

  readonly resources: {
    get(organizationId: string, kind: string, id: string): Promise<ResourceRow | undefined>;
    /** The resources with these ids, as far as they exist, oldest first. */
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
    /** The ids for a value: at most `limit`, newest first, within the page's cursors. */
    find(organizationId: string, kind: string, value: string, page: Page): Promise<readonly LookupRow[]>;
    /** The same where the ids are organizations: each with its own record, as far as it exists. */
    findOrganizations(
      organizationId: string,
      kind: string,
      value: string,
      page: Page,
    ): Promise<readonly ({ readonly id: string } & Partial<Pick<RecordRow, 'mac' | 'body'>>)[]>;
  };

  readonly activities: {
    get(organizationId: string, id: string): Promise<ActivityRow | undefined>;
    /** What became of a request. */
    byRequest(
      organizationId: string,
      request: Pick<ActivityRow, 'requestedAtMs' | 'fingerprint'>,
    ): Promise<ActivityRow | undefined>;
    /** What a vote may name by its fingerprint: everything but activities that were carried out at once, without waiting for votes. */
    byFingerprint(organizationId: string, fingerprint: string): Promise<ActivityRow | undefined>;
    page(organizationId: string, filter: ActivityFilter, page: Page): Promise<readonly ActivityRow[]>;
    /** How many activities a span has, counted up to `most`. */
    count(organizationId: string, span: ActivitySpan, most: number): Promise<number>;
    /** The id of the activity that comes before the newest `count` ones of a span. Undefined if it has no more than these. */
    newest(organizationId: string, span: ActivitySpan, count: number): Promise<string | undefined>;
  };

  /** Messages to deliver. Not asked for by organization, because a mailer serves all of them. */
  readonly outbox: {
    /**
     * Up to `limit` waiting messages that are due, each with its attempts counted up. Nobody else is given them before `leaseMs` have
     * passed, however many nodes ask at once; then they are due again, unless they were settled.
     * The organizations take turns in order of their ids, from the one after `afterOrganizationId` on and round: each gets an equal
     * share, of which its most overdue messages come first. A long queue of one organization delays nobody else.
     */
    claim(nowMs: number, leaseMs: number, limit: number, afterOrganizationId?: string): Promise<readonly OutboxRow[]>;
    /** Puts a message that belongs to no activity. Does nothing if one with this id is there. */
    add(message: OutboxRow): Promise<void>;
    /** Ends a claim. False where it was lost meanwhile: the lease ran out and another node has claimed the message, or it is gone. */
    settle(claim: Claim, outcome: ClaimOutcome): Promise<boolean>;
    /** When the next waiting message is due. Undefined if none waits. */
    nextDueMs(): Promise<number | undefined>;
    /** Removes and returns the messages that expired before they were delivered. */
    dropExpired(nowMs: number): Promise<readonly Omit<OutboxRow, 'ciphertext'>[]>;
    /** Messages in one state, newest first. */
    list(state: OutboxState, limit: number): Promise<readonly OutboxRow[]>;
    /** Removes all kept messages except the newest ones. */
    trimKept(newest: number): Promise<void>;
  };

  /** Events for webhook endpoints. As with the outbox, a dispatcher serves all organizations. */
  readonly events: {
    /**
     * Walks over endpoints with waiting events: `steps` of them in id order, after the given one. Returns those without a holder
     * or a pause now. `walkedTo` is where to continue, undefined at the end.
     */
    due(nowMs: number, steps: number, afterEndpointId?: string): Promise<DueEndpoints>;
    /** Takes or extends the right to deliver to an endpoint. False while another holder has it, or a pause lasts. */
    lease(endpoint: EndpointKey, holder: string, nowMs: number, leaseMs: number): Promise<boolean>;
    /** Lets others deliver. Does nothing if the lease was lost. */
    release(endpoint: EndpointKey, holder: string): Promise<void>;
    /** Releases an endpoint that nobody should try before a time. Does nothing if the lease was lost. */
    pause(endpoint: EndpointKey, holder: string, untilMs: number): Promise<void>;
    /** Ends a pause. Does nothing if somebody holds a lease. */
    wake(endpointId: string): Promise<void>;
    /** The oldest events of an endpoint, in order. */
    oldest(endpoint: EndpointKey, limit: number): Promise<readonly StoredEvent[]>;
    /**
     * The first event of each organization that is not left out: at most `limit`, in id order, after the given one.
     * The cost does not depend on how many events wait.
     */
    firstOfOthers(
      endpoint: EndpointKey,
      limit: number,
      exceptOf: readonly string[],
      afterOrganizationId?: string,
    ): Promise<readonly StoredEvent[]>;
    remove(endpoint: EndpointKey, seqs: readonly number[]): Promise<void>;
    /** Notes how a delivery went. Zero leaves a time, and the fault with its time, as they were. */
    note(receiver: EventReceiverRow): Promise<void>;
    /** How deliveries to these endpoints of the organization go, with how many events wait, counted up to `mostWaiting`. */
    states(organizationId: string, endpointIds: readonly string[], mostWaiting: number): Promise<readonly EndpointState[]>;
  };

  /**
   * What is used up in a day. Not authenticated: nobody gains a right by what a counter says, only another try or another message.
   * Counters are written apart from commits, so that a limit holds exactly, on however many nodes.
   */
  readonly counters: {
    /** Adds to a counter. False, with nothing added, where that would bring it above `limit`. */
    add(counter: CounterKey, amount: number, limit?: number): Promise<boolean>;
    /** 0 for a counter that nobody added to. */
    amount(counter: CounterKey): Promise<number>;
    /** Forgets the counters of earlier days. */
    sweep(beforeDay: number): Promise<void>;
  };

  readonly log: LogStore;

  readonly counts: CountStore;

  readonly notices: NoticeStore;

  readonly usage: UsageStore;

  /** Activities that were moved into archive files. */
  readonly archive: {
    /** The mark of a moved activity. */
    get(organizationId: string, activityId: string): Promise<ArchivedRow | undefined>;
    byFingerprint(organizationId: string, fingerprint: string): Promise<ArchivedRow | undefined>;
    /** The marks of an organization above an activity's id, in order. */
    scan(organizationId: string, afterId: string, limit: number): Promise<readonly ArchivedRow[]>;
    file(name: string): Promise<ArchiveRow | undefined>;
    files(): Promise<readonly ArchiveRow[]>;
    /** Ended activities above `afterId` and below `beforeId`, in order. */
    ended(organizationId: string, afterId: string, beforeId: string, limit: number): Promise<readonly ActivityRow[]>;
    /**
     * Puts the record of a file and the marks of its activities, and removes the rows of those activities, in one durable transaction.
     * False, with nothing changed, where one of the rows is not stored as its mark says.
     */
    move(file: ArchiveRow, marks: readonly ArchivedRow[]): Promise<boolean>;
  };

  /** Everything at once: for backups. */
  readonly copy: {
    /** Every row of every table, as of one instant, in the order of `copiedTables`. Writers are not kept waiting. */
    read(): AsyncGenerator<CopiedRows>;
    /** How many rows all tables have together. For a progress bar. */
    count(): Promise<number>;
    /** Whether nothing but the schema and the named settings is stored. */
    isEmpty(except: readonly string[]): Promise<boolean>;
  };

  /**
   * Changes anything in one durable transaction: to fill an empty database, or to raise the epoch. Nothing is stored before `work` has
   * returned, and nothing at all if it throws. Commits of other processes wait. No other use of this store may go on meanwhile.
   */
  maintain<T>(work: (maintenance: Maintenance) => Promise<T>): Promise<T>;

  readonly vault: {
    dataKey(organizationId: string): Promise<DataKeyRow | undefined>;
    /**
     * Data keys that are not wrapped by `rootKeyId`, which a rotation still has to rewrap. In the order of organization ids.
     * Pass the last id seen as `afterId`, so a long rotation does not read the finished part again.
     */
    dataKeysNotUnder(rootKeyId: string, limit: number, afterId?: string): Promise<readonly DataKeyRow[]>;
    /** Replaces stored wrapped data keys (ignores keys that are not stored) and puts a setting, in one durable transaction. */
    rewrap(keys: readonly DataKeyRow[], setting?: SettingRow): Promise<void>;
    setting(name: string): Promise<SettingRow | undefined>;
    /** Writes the setting if the name is new. Returns the stored one either way, so two nodes that start at once agree. */
    settingOnce(setting: SettingRow): Promise<SettingRow>;
    /**
     * Puts a setting, durably, where its body is still `expectedBody`; undefined expects that there is none.
     * False, with nothing changed, where it is another.
     */
    replaceSetting(setting: SettingRow, expectedBody: string | undefined): Promise<boolean>;
  };

  /**
   * Marks the installation as in use until `release` or the end of the process, however it ends. Servers hold it shared.
   * Maintenance that needs all servers stopped holds it exclusive. Throws a `StoreFault` at once if another holder forbids it.
   * Releasing twice is harmless. Releasing an exclusive hold that was lost meanwhile rejects with a `StoreFault`.
   */
  hold(mode: HoldMode): Promise<Release>;
  /** Facts for `doctor` and the start-up summary: durability settings, schema version, size. */
  describe(): Promise<StoreDescription>;
  /** Resolves when a trivial read works, rejects otherwise. */
  ping(): Promise<void>;
  /** Ends the work in progress, releases holds and closes. Closing twice is harmless. */
  close(): Promise<void>;
}

/** Activities with ids between two, of some types or of all. */
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

/** A database under maintenance. */
export interface Maintenance {
  put(rows: CopiedRows): Promise<void>;
  /** Makes the numbers that the database gives out go on after all those that were put. Call it before anything else is added. */
  renumber(): Promise<void>;
  /** Puts a setting in place of an earlier one. Undefined removes it. */
  putSetting(name: string, body: string | undefined): Promise<void>;
  /** Reads what was put so far. Entries for the log can be added by it; nothing else may be written. */
  readonly store: Store;
}

/** Which counter is meant. */
export interface CounterKey {
  readonly organizationId: string;
  readonly name: string;
  /** Days since the epoch, in UTC. */
  readonly day: number;
}

/** A webhook endpoint and the organization it belongs to. */
export type EndpointKey = Pick<EventRow, 'listenerId' | 'endpointId'>;

/** How deliveries to an endpoint go. */
export interface EndpointState extends Omit<EventReceiverRow, 'organizationId'> {
  readonly waiting: number;
  /** When the oldest waiting event happened. 0 if none waits. */
  readonly oldestAtMs: number;
}

/** A part of a walk over endpoints. */
export interface DueEndpoints {
  readonly endpoints: readonly EndpointKey[];
  readonly walkedTo: string | undefined;
}

/** One attempt at one message. */
export type Claim = Pick<OutboxRow, 'organizationId' | 'id' | 'attempts'>;

/** The outcome of an attempt. A delivered message is removed, because nobody needs its row again. */
export type ClaimOutcome =
  | { readonly delivered: true }
  | { readonly delivered: false; readonly state: OutboxState; readonly dueAtMs: number; readonly fault: string };

export type HoldMode = 'shared' | 'exclusive';

export type Release = () => Promise<void>;

export interface StoreDescription {
  readonly engine: 'sqlite' | 'postgres';
  readonly engineVersion: string;
  readonly schemaVersion: number;
  readonly location: string;
  /** False when an acknowledged commit could be lost in a crash. */
  readonly durable: boolean;
  /** Servers that follow without being waited for. If one of them takes over, acknowledged commits can be lost. */
  readonly asynchronousStandbys: number;
  readonly facts: Readonly<Record<string, string>>;
}

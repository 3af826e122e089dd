import { OperatorFault } from '@countersign/contract';
import type {
  ActivityRow,
  DataKeyRow,
  EventRow,
  HeadRow,
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

/**
 * Everything one activity writes, and the organization version its decision was made on.
 * A commit writes rows of its own organization and of those that it inserts; only lookups may belong to any organization.
 */
export interface Commit {
  readonly organizationId: string;
  /** Not looked at where the commit inserts its own organization: that one must not exist yet. */
  readonly expectedVersion: number;
  /**
   * The organization's next head, where the commit changes what decisions in it rest on. Its version is above the expected one.
   * Without it the version stays, and any number of such commits may run side by side on all nodes.
   */
  readonly head?: { readonly version: number; readonly mac: Uint8Array };
  /** Revision 0 inserts; revision n replaces revision n - 1 and is refused if another revision is stored. */
  readonly activity: ActivityRow;
  readonly writes: readonly Write[];
  /** Another organization that the decision rests on, such as the parent whose user acts: its version must not have moved either. */
  readonly alsoExpect?: { readonly organizationId: string; readonly version: number };
}

export type CommitOutcome =
  | { readonly taken: true }
  /** The organization's version is not the expected one, the organization is gone, or one to be inserted exists. Checked first. */
  | { readonly taken: false; readonly reason: 'VERSION_MOVED' }
  /** An activity with this fingerprint exists in the organization. */
  | { readonly taken: false; readonly reason: 'FINGERPRINT_EXISTS'; readonly activityId: string }
  /** The activity is stored at another revision, or its status is terminal. */
  | { readonly taken: false; readonly reason: 'REVISION_MOVED' }
  /** A bug of the caller: the entry breaks a rule of the schema (`detail` says which) and would do so again. */
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

export interface StoredOrganization {
  readonly head: HeadRow;
  readonly records: readonly RecordRow[];
  readonly keyMacs: readonly Uint8Array[];
}

/** An absent or empty list filters nothing. */
export interface ActivityFilter {
  readonly statuses?: readonly string[];
  readonly types?: readonly string[];
}

/**
 * The only door to persistence. Two adapters implement it and one conformance suite tests both.
 * INVARIANT: the organization comes first in every reader, and no reader returns a row of another organization.
 */
export interface Store {
  /**
   * One durable transaction for the whole batch; when the promise resolves, every taken commit survives a crash.
   * Each commit is taken or refused on its own (a refused one leaves nothing behind); order within an organization is kept:
   * a commit sees the version that earlier ones of the same batch left.
   * Rejects with `StoreUnavailable` when the database fails; its `outcomeUnknown` says whether the batch may be stored all the same.
   */
  commit(batch: readonly Commit[]): Promise<readonly CommitOutcome[]>;

  readonly organizations: {
    head(organizationId: string): Promise<HeadRow | undefined>;
    /**
     * Head, records and the MACs of all resources without a parent (wallets and private keys), read at one instant.
     * Records are in order of kind and id, MACs in no particular order.
     */
    snapshot(organizationId: string): Promise<StoredOrganization | undefined>;
    /** Every organization id above `afterId`, ascending: for maintenance only. */
    scan(afterId: string, limit: number): Promise<readonly string[]>;
  };

  readonly resources: {
    get(organizationId: string, kind: string, id: string): Promise<ResourceRow | undefined>;
    /** All of a kind, oldest first; `parentId` narrows to one wallet. */
    list(organizationId: string, kind: string, parentId?: string): Promise<readonly ResourceRow[]>;
    page(organizationId: string, kind: string, page: Page, parentId?: string): Promise<readonly ResourceRow[]>;
    count(organizationId: string, kind: string, parentId?: string): Promise<number>;
  };

  readonly secrets: {
    get(organizationId: string, id: string): Promise<SecretRow | undefined>;
  };

  readonly lookups: {
    /** Ids that a value leads to: at most `limit`, newest first, within the page's cursors. */
    find(organizationId: string, kind: string, value: string, page: Page): Promise<readonly LookupRow[]>;
  };

  readonly activities: {
    get(organizationId: string, id: string): Promise<ActivityRow | undefined>;
    byFingerprint(organizationId: string, fingerprint: string): Promise<ActivityRow | undefined>;
    page(organizationId: string, filter: ActivityFilter, page: Page): Promise<readonly ActivityRow[]>;
  };

  /** What commits put in to be delivered. The only part that is not asked for by organization: a mailer serves all of them. */
  readonly outbox: {
    /**
     * Up to `limit` waiting messages that are due, the most overdue first, each with its attempts counted up. Nobody else is given them
     * before `leaseMs` have passed, however many nodes ask at once; then they are due again, unless they were settled.
     */
    claim(nowMs: number, leaseMs: number, limit: number): Promise<readonly OutboxRow[]>;
    /** Ends a claim. False where it was lost meanwhile: the lease ran out and another node has claimed the message, or it is gone. */
    settle(claim: Claim, outcome: ClaimOutcome): Promise<boolean>;
    /** When the next waiting message is due; undefined where none waits. */
    nextDueMs(): Promise<number | undefined>;
    /** Removes messages that expired before they were delivered, and says which. */
    dropExpired(nowMs: number): Promise<readonly Omit<OutboxRow, 'ciphertext'>[]>;
    /** Messages in one state, the newest first. */
    list(state: OutboxState, limit: number): Promise<readonly OutboxRow[]>;
    /** Removes all kept messages but the newest. */
    trimKept(newest: number): Promise<void>;
  };

  /** What webhook endpoints are to be told. As with the outbox, whoever delivers serves all organizations. */
  readonly events: {
    /**
     * Walks over endpoints that events wait for, so many `steps` in order of their ids, after the given one, and gives those that nobody
     * holds or leaves alone now. `walkedTo` is where to go on; undefined at the end.
     */
    due(nowMs: number, steps: number, afterEndpointId?: string): Promise<DueEndpoints>;
    /** Takes, or keeps for longer, the right to deliver to an endpoint. False while another holder has it, or a pause lasts. */
    lease(endpoint: EndpointKey, holder: string, nowMs: number, leaseMs: number): Promise<boolean>;
    /** Lets others deliver. Does nothing where the lease was lost. */
    release(endpoint: EndpointKey, holder: string): Promise<void>;
    /** Lets go of an endpoint that nobody is to try before a time. Does nothing where the lease was lost. */
    pause(endpoint: EndpointKey, holder: string, untilMs: number): Promise<void>;
    /** Ends a pause. Does nothing where somebody has a lease. */
    wake(endpointId: string): Promise<void>;
    /** The oldest events of an endpoint, in their order. */
    oldest(endpoint: EndpointKey, limit: number): Promise<readonly StoredEvent[]>;
    /**
     * The first event of each of the organizations that are not left out: at most `limit`, in order of their ids, after the given one.
     * It costs the same however much waits.
     */
    firstOfOthers(
      endpoint: EndpointKey,
      limit: number,
      exceptOf: readonly string[],
      afterOrganizationId?: string,
    ): Promise<readonly StoredEvent[]>;
    remove(endpoint: EndpointKey, seqs: readonly number[]): Promise<void>;
  };

  readonly vault: {
    dataKey(organizationId: string): Promise<DataKeyRow | undefined>;
    /**
     * Data keys that are not wrapped by `rootKeyId`: what a rotation still has to do. In order of the organization's id;
     * passing the last id seen as `afterId` keeps a long rotation from reading the finished part again.
     */
    dataKeysNotUnder(rootKeyId: string, limit: number, afterId?: string): Promise<readonly DataKeyRow[]>;
    /** Replaces stored wrapped data keys (one that is not stored is left out) and puts a setting, in one durable transaction. */
    rewrap(keys: readonly DataKeyRow[], setting?: SettingRow): Promise<void>;
    setting(name: string): Promise<SettingRow | undefined>;
    /** Writes the setting if the name is new; gives the stored one either way, so that two nodes starting at once agree. */
    settingOnce(setting: SettingRow): Promise<SettingRow>;
  };

  /**
   * Marks the installation as in use until `release` or the end of the process, however it ends. Servers hold it shared,
   * maintenance that needs all of them stopped holds it exclusive. Throws a `StoreFault` at once where another holder forbids it.
   * Releasing twice is harmless; releasing an exclusive hold that was lost meanwhile rejects with a `StoreFault`.
   */
  hold(mode: HoldMode): Promise<Release>;
  /** Facts for `doctor` and the start-up summary: durability settings, schema version, size. */
  describe(): Promise<StoreDescription>;
  /** Resolves when a trivial read works, rejects otherwise. */
  ping(): Promise<void>;
  /** Ends what is under way, releases holds and closes. Closing twice is harmless. */
  close(): Promise<void>;
}

/** A webhook endpoint and the organization it belongs to. */
export type EndpointKey = Pick<EventRow, 'listenerId' | 'endpointId'>;

/** A part of a walk over endpoints. */
export interface DueEndpoints {
  readonly endpoints: readonly EndpointKey[];
  readonly walkedTo: string | undefined;
}

/** Which attempt at which message is meant. */
export type Claim = Pick<OutboxRow, 'organizationId' | 'id' | 'attempts'>;

/** What became of an attempt. A message that was delivered is removed: its row holds nothing that anybody needs again. */
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
  readonly facts: Readonly<Record<string, string>>;
}

/** The database cannot be used as it is, and a person has to mend it. */
export class StoreFault extends OperatorFault {
  override readonly name = 'StoreFault';
}

/** The database does not answer, is locked for too long or cannot write now. Trying again later may work without anybody's help. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  /** True when the transaction may have been stored all the same: look the fingerprints up before doing anything again. */
  readonly outcomeUnknown: boolean;

  constructor(message: string, options: ErrorOptions & { readonly outcomeUnknown: boolean }) {
    super(message, options);
    this.outcomeUnknown = options.outcomeUnknown;
  }
}

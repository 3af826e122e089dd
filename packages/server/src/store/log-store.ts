import type {
  ArchiveSpanRow,
  LogEntryRow,
  LogHeadRow,
  LogLeafRow,
  LogMapRow,
  LogStateRow,
  LogTileRow,
  QueuedLogEntry,
} from './rows.ts';

/** The append-only log of the installation and its queue. It covers all organizations. */
export interface LogStore {
  /**
   * Records the log size that was seen. A later connection to a database with a shorter log is rejected with `DatabaseBehind`.
   * So nothing is read from, or committed to, a standby that took over without the last commits.
   */
  noteSize(size: number): void;
  state(): Promise<LogStateRow | undefined>;
  /** The oldest queued entries, in order. */
  queued(limit: number): Promise<readonly QueuedLogEntry[]>;
  /**
   * Queued entries of an organization, and those whose body contains its id, in order. Also finds entries by other texts of letters,
   * digits and hyphens, such as the key of a usage bucket in hex. The result may contain unrelated entries.
   */
  queuedAbout(text: string): Promise<readonly QueuedLogEntry[]>;
  /** Organizations of the oldest queued entries. May contain duplicates. */
  queuedOrganizations(limit: number): Promise<readonly string[]>;
  /** Queues an entry that belongs to no activity. */
  enqueue(entry: LogEntryRow): Promise<void>;
  /** Replaces the format, body and MAC of queued entries. Their order stays. */
  requeue(entries: readonly QueuedLogEntry[]): Promise<void>;
  /** Moves entries from the queue to a separate table for inspection. */
  refuse(entries: readonly QueuedLogEntry[]): Promise<void>;
  /** Number of entries that `refuse` moved out of the queue. */
  refusedCount(): Promise<number>;
  /**
   * Extends the log in one durable transaction if its state is the expected one. Undefined expects a log without a state.
   * MOVED: the state is another one. DOUBLED: a leaf with the same index, the same activity revision or the same sequence number in its
   * organization is stored, or an entry is no longer queued. Both change nothing.
   */
  integrate(step: LogStep): Promise<'TAKEN' | 'MOVED' | 'DOUBLED'>;
  heads(organizationIds: readonly string[]): Promise<readonly LogHeadRow[]>;
  /** Rows with organization ids above `afterId`, ascending. For maintenance only. */
  scanHeads(afterId: string, limit: number): Promise<readonly LogHeadRow[]>;
  /**
   * Writes rows and nodes ahead of the step that makes them reachable, in one durable transaction. Returns false and changes nothing unless
   * the log has the expected state.
   */
  stage(rows: Pick<LogStep, 'heads' | 'map'> & { readonly expected: Pick<LogStateRow, 'size' | 'root'> }): Promise<boolean>;
  /** The nodes of the head map with these prefixes, in no particular order. Skips missing nodes. */
  mapNodes(prefixes: readonly string[]): Promise<readonly LogMapRow[]>;
  /** The tiles with these keys, in no particular order. Skips missing tiles. */
  tiles(keys: readonly Pick<LogTileRow, 'level' | 'tileIndex'>[]): Promise<readonly LogTileRow[]>;
  /** Leaves from `start` up to, but not including, `end`, in order. */
  leaves(start: number, end: number): Promise<readonly LogLeafRow[]>;
  /** Openings of the leaves from `start` up to, but not including, `end`, in order. */
  openings(start: number, end: number): Promise<readonly Pick<LogLeafRow, 'organizationId' | 'revision' | 'opening'>[]>;
  /** Activities that need approvals according to the leaves from `start` up to, but not including, `end`. In order. */
  waitingLeaves(start: number, end: number): Promise<readonly Pick<LogLeafRow, 'organizationId' | 'activityId'>[]>;
  /** Ids of the organizations that completed a freeze or an unfreeze according to the leaves from `start` up to, but not including, `end`. */
  freezeLeaves(start: number, end: number): Promise<readonly string[]>;
  /** Leaves of an organization, starting at a sequence number, in order. */
  leavesOf(organizationId: string, fromSequence: number, limit: number): Promise<readonly LogLeafRow[]>;
  /** Leaf of a revision of an activity. Defaults to the newest revision. */
  leafOf(organizationId: string, activityId: string, revision?: number): Promise<LogLeafRow | undefined>;
  /** Number of stored leaves of an organization. */
  leafCount(organizationId: string): Promise<number>;
  /** Archived spans that could contain an activity, because its id lies between their first and last id. */
  spansAround(organizationId: string, activityId: string): Promise<readonly ArchiveSpanRow[]>;
  /** Archived spans with sequence numbers from `from` up to, but not including, `below`. */
  spansOf(organizationId: string, from: number, below: number): Promise<readonly ArchiveSpanRow[]>;
  /** Archived spans with leaves from `start` up to, but not including, `end`. */
  spansBetween(start: number, end: number): Promise<readonly ArchiveSpanRow[]>;
  /**
   * Whether a stored activity has neither a leaf nor a queued entry. Expensive: scans all activities if it finds no such activity. Use it
   * only when the log is created.
   */
  hasUnlogged(): Promise<boolean>;
}

/** One extension of the log. */
export interface LogStep {
  readonly expected: Pick<LogStateRow, 'size' | 'root'> | undefined;
  readonly state: LogStateRow;
  readonly leaves: readonly LogLeafRow[];
  /** Replace narrower tiles. */
  readonly tiles: readonly LogTileRow[];
  readonly heads: readonly LogHeadRow[];
  /** Changed nodes of the head map. */
  readonly map: readonly LogMapRow[];
  /** Numbers of the entries that became leaves. Each entry must still be queued. */
  readonly taken: readonly number[];
}

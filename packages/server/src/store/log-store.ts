import type { LogEntryRow, LogHeadRow, LogLeafRow, LogStateRow, LogTileRow, QueuedLogEntry } from './rows.ts';

/** The append-only log of the installation, and what waits to get into it. It covers all organizations. */
export interface LogStore {
  /**
   * Notes how long the log was seen to be. A connection that is made later and finds a shorter one is refused: `DatabaseBehind`.
   * So nothing is read from, and nothing committed to, a standby that took over without the last commits.
   */
  noteSize(size: number): void;
  state(): Promise<LogStateRow | undefined>;
  /** The oldest entries that wait, in order. */
  queued(limit: number): Promise<readonly QueuedLogEntry[]>;
  /** The organizations of the oldest entries that wait, each once or more. */
  queuedOrganizations(limit: number): Promise<readonly string[]>;
  /** Adds an entry that belongs to no activity. */
  enqueue(entry: LogEntryRow): Promise<void>;
  /** Takes entries out of the queue, and keeps them apart for inspection. */
  refuse(entries: readonly QueuedLogEntry[]): Promise<void>;
  /** Entries that were refused: how many. */
  refusedCount(): Promise<number>;
  /**
   * Moves the log on in one durable transaction, where its state is still the expected one (undefined: there is none).
   * MOVED: it is another. DOUBLED: a leaf with this index, or for this revision or this place in its organization, is stored, or an
   * entry no longer waits. Nothing is changed then.
   */
  integrate(step: LogStep): Promise<'TAKEN' | 'MOVED' | 'DOUBLED'>;
  heads(organizationIds: readonly string[]): Promise<readonly LogHeadRow[]>;
  /** Those of the tiles that are stored, in no particular order. */
  tiles(keys: readonly Pick<LogTileRow, 'level' | 'tileIndex'>[]): Promise<readonly LogTileRow[]>;
  /** The leaves from `start` up to, not including, `end`, in order. */
  leaves(start: number, end: number): Promise<readonly LogLeafRow[]>;
  /** What the leaves from `start` up to, not including, `end`, say, in order. */
  openings(start: number, end: number): Promise<readonly Pick<LogLeafRow, 'organizationId' | 'revision' | 'opening'>[]>;
  /** The activities of those leaves, from `start` up to, not including, `end`, that say that one waits for approvals. In order. */
  waitingLeaves(start: number, end: number): Promise<readonly Pick<LogLeafRow, 'organizationId' | 'activityId'>[]>;
  /** The leaves of an organization from a sequence on, in order. */
  leavesOf(organizationId: string, fromSequence: number, limit: number): Promise<readonly LogLeafRow[]>;
  /** The leaf of a revision of an activity, by default of its newest. */
  leafOf(organizationId: string, activityId: string, revision?: number): Promise<LogLeafRow | undefined>;
  /** Whether an activity is stored that neither has a leaf nor waits for one. Reads every activity where there is none: for the start of the log. */
  hasUnlogged(): Promise<boolean>;
}

/** What makes the log grow. */
export interface LogStep {
  readonly expected: Pick<LogStateRow, 'size' | 'root'> | undefined;
  readonly state: LogStateRow;
  readonly leaves: readonly LogLeafRow[];
  /** Put in place of narrower ones. */
  readonly tiles: readonly LogTileRow[];
  readonly heads: readonly LogHeadRow[];
  /** The entries that became leaves. Each must still wait. */
  readonly taken: readonly number[];
}

import type { Commit, CommitOutcome } from '../store/store.ts';
import type { CommitNotes, NoteFile } from './commit-notes.ts';
import { LogError } from './log-error.ts';

/** A commit, by the log entry that was queued with it. */
export interface LoggedCommit {
  readonly organizationId: string;
  readonly activityId: string;
  readonly revision: number;
}

/** A leaf that this process added to the log, or that it read there. */
export interface SeenLeaf extends LoggedCommit {
  readonly leafIndex: number;
}

export interface UnloggedSettings {
  /** Age of a commit without a leaf at which an alarm is raised. */
  readonly alarmSeconds: number;
  /** Age of a commit without a leaf at which commits are suspended. */
  readonly stopSeconds: number;
}

interface Unlogged extends LoggedCommit {
  /** The file that it is recorded in. */
  readonly file: NoteFile | undefined;
  /** Commits are numbered in the order in which they were made. */
  readonly number: number;
  readonly atMs: number;
}

/** The most commits without a leaf. Beyond that, commits wait for the log. */
const MAX_UNLOGGED = 2 ** 17;
/** The longest time that counts between two checks. A process that was suspended must have time for a pass first. */
const MAX_STEP_MS = 2_000;
/** Interval at which an alarm is repeated. */
const ALARM_MS = 60_000;

/** Identifies a log entry and its leaf. */
export const keyOf = ({ organizationId, activityId, revision }: LoggedCommit) => `${organizationId}/${activityId}/${revision}`;

/**
 * The commits of this process that it has not seen in the log yet.
 * SECURITY: D257: entries that are deleted from the queue, or a log that cannot be written, would leave executed activities without a
 * leaf. No other process knows of them, so the process that made them must find out.
 */
export class UnloggedCommits {
  readonly #settings: UnloggedSettings;
  readonly #alarm: (organizationId: string, what: string) => void;
  readonly #nowMs: () => number;
  readonly #notes: Pick<CommitNotes, 'record' | 'published'>;
  /** Commits in progress. Another process may log one before its outcome is known here: its leaf is in the value then. */
  readonly #inProgress = new Map<string, number | undefined>();
  /** Oldest first. */
  readonly #unlogged = new Map<string, Unlogged>();
  #commits = 0;
  #clockMs = 0;
  #checkedAtMs: number;
  #alarmedAtMs = Number.NEGATIVE_INFINITY;
  #error: LogError | undefined;

  constructor(
    settings: UnloggedSettings,
    notes: Pick<CommitNotes, 'record' | 'published'>,
    alarm: (organizationId: string, what: string) => void,
    nowMs: () => number = () => performance.now(),
  ) {
    this.#settings = settings;
    this.#notes = notes;
    this.#alarm = alarm;
    this.#nowMs = nowMs;
    this.#checkedAtMs = nowMs();
  }

  /** Call before a batch is committed. */
  begin(batch: readonly Commit[]): void {
    for (const { logEntry } of batch) if (logEntry !== undefined) this.#inProgress.set(keyOf(logEntry), undefined);
  }

  /** Call with the outcomes, before any caller learns of them. Without outcomes, no caller learns that a commit was made. */
  end(batch: readonly Commit[], outcomes: readonly CommitOutcome[] = []): void {
    const atMs = this.#time();
    const taken = batch.flatMap(({ logEntry }, index) => (outcomes[index]?.taken === true && logEntry ? [logEntry] : []));
    const file = this.#notes.record(taken);
    for (const { organizationId, activityId, revision } of taken) {
      const commit = { organizationId, activityId, revision, file, number: ++this.#commits, atMs };
      const leafIndex = this.#inProgress.get(keyOf(commit));
      this.#unlogged.set(keyOf(commit), commit);
      if (leafIndex !== undefined) this.leafSeen({ ...commit, leafIndex });
    }
    for (const { logEntry } of batch) if (logEntry !== undefined) this.#inProgress.delete(keyOf(logEntry));
  }

  leafSeen(leaf: SeenLeaf): void {
    const key = keyOf(leaf);
    const commit = this.#unlogged.get(key);
    if (commit === undefined) {
      if (this.#inProgress.has(key)) this.#inProgress.set(key, leaf.leafIndex);
      return;
    }
    this.#unlogged.delete(key);
    if (commit.file === undefined) return;
    commit.file.unlogged -= 1;
    commit.file.lastLeaf = Math.max(commit.file.lastLeaf, leaf.leafIndex);
  }

  /** A checkpoint of the log was recorded durably. */
  published(size: number): void {
    this.#notes.published(size);
  }

  /** Judges the age of the oldest commit without a leaf. Call after each pass over the log, and every second if passes fail. */
  check(): void {
    this.#clockMs = this.#time();
    this.#checkedAtMs = this.#nowMs();
    const { alarmSeconds, stopSeconds } = this.#settings;
    const [oldest] = this.#unlogged.values();
    const ageMs = oldest === undefined ? 0 : this.#clockMs - oldest.atMs;
    this.#error = ageMs >= stopSeconds * 1000 ? unloggedError(stopSeconds) : undefined;
    if (oldest === undefined || ageMs < alarmSeconds * 1000 || this.#clockMs - this.#alarmedAtMs < ALARM_MS) return;
    this.#alarmedAtMs = this.#clockMs;
    const what = `the activity ${oldest.activityId} was executed, but has not been in the log for ${alarmSeconds} seconds`;
    this.#alarm(oldest.organizationId, what);
  }

  /** Why commits are suspended. Undefined if they are not. Ends once the log has the commits. */
  error(): LogError | undefined {
    return this.#unlogged.size >= MAX_UNLOGGED ? unloggedError(this.#settings.stopSeconds) : this.#error;
  }

  /** The number of the last commit. */
  get lastNumber(): number {
    return this.#commits;
  }

  /** The oldest commit of an organization up to a number that has no leaf. Overdue once an alarm is raised for such commits. */
  oldestOf(organizationId: string, lastNumber: number): (LoggedCommit & { readonly isOverdue: boolean }) | undefined {
    for (const commit of this.#unlogged.values()) {
      if (commit.number > lastNumber) return undefined;
      if (commit.organizationId === organizationId)
        return { ...commit, isOverdue: this.#time() - commit.atMs >= this.#settings.alarmSeconds * 1000 };
    }
    return undefined;
  }

  /** Time that this process was running, in milliseconds. */
  #time(): number {
    return this.#clockMs + Math.min(this.#nowMs() - this.#checkedAtMs, MAX_STEP_MS);
  }
}

/** SECURITY: readiness shows the message to anybody, so it names no activity. The alarm does. */
function unloggedError(seconds: number): LogError {
  return new UnloggedError(
    `Executed activities have not reached the log for ${seconds} seconds, or too many have not.`,
    'Look for locks on the database, for triggers and for processes that delete from log_queue. Requests continue once the log has every executed activity.',
  );
}

/** Activities were executed that are not in the log. */
export class UnloggedError extends LogError {}

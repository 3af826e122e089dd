import type { Commit, CommitOutcome } from '../store/store.ts';
import type { CommitNotes, NoteFile } from './commit-notes.ts';
import { LogError } from './log-error.ts';
import type { LoggedCommit } from './note-files.ts';

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

interface Tracked extends LoggedCommit {
  /** Commits are numbered in the order in which they began, which is also the order in which they end. */
  readonly number: number;
  /** Undefined while the commit is in progress. */
  atMs: number | undefined;
  /** The file that the commit is recorded in. */
  file: NoteFile | undefined;
  /** Present if another process logged the commit before its outcome was known here. */
  leafIndex: number | undefined;
}

/** The most commits without a leaf. Beyond that, commits wait for the log. */
const MAX_UNLOGGED = 2 ** 17;
/** The longest time that counts between two checks. A process that was suspended must have time for a pass first. */
const MAX_STEP_MS = 2_000;
/** Interval at which an alarm is repeated. */
const ALARM_MS = 60_000;

/** Identifies a log entry and its leaf: ids of activities are unique in the installation. */
export const keyOf = ({ activityId, revision }: Pick<LoggedCommit, 'activityId' | 'revision'>) =>
  revision === 0 ? activityId : `${activityId}/${revision}`;

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
  /** Commits in progress and commits without a leaf, oldest first. */
  readonly #tracked = new Map<string, Tracked>();
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

  /** Call before a batch is committed. One batch is in progress at a time. */
  begin(batch: readonly Commit[]): void {
    for (const { logEntry } of batch) {
      if (logEntry === undefined) continue;
      const { organizationId, activityId, revision } = logEntry;
      const state = { number: ++this.#commits, atMs: undefined, file: undefined, leafIndex: undefined };
      this.#tracked.set(keyOf(logEntry), { organizationId, activityId, revision, ...state });
    }
  }

  /** Call with the outcomes, before any caller learns of them. Without outcomes, no caller learns that a commit was made. */
  end(batch: readonly Commit[], outcomes: readonly CommitOutcome[] = []): void {
    const atMs = this.#time();
    const taken: Tracked[] = [];
    for (const [index, { logEntry }] of batch.entries()) {
      if (logEntry === undefined) continue;
      const key = keyOf(logEntry);
      const commit = this.#tracked.get(key);
      if (commit !== undefined && outcomes[index]?.taken === true) taken.push(commit);
      else this.#tracked.delete(key);
    }
    const file = this.#notes.record(taken);
    for (const commit of taken) {
      commit.atMs = atMs;
      commit.file = file;
      if (commit.leafIndex !== undefined) this.#logged(commit, commit.leafIndex);
    }
  }

  leafSeen(leaf: SeenLeaf): void {
    const commit = this.#tracked.get(keyOf(leaf));
    if (commit === undefined) return;
    if (commit.atMs === undefined) commit.leafIndex = leaf.leafIndex;
    else this.#logged(commit, leaf.leafIndex);
  }

  #logged(commit: Tracked, leafIndex: number): void {
    this.#tracked.delete(keyOf(commit));
    const { file } = commit;
    if (file === undefined) return;
    file.unlogged -= 1;
    file.lastLeaf = Math.max(file.lastLeaf, leafIndex);
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
    const oldest: Tracked | undefined = this.#tracked.values().next().value;
    const ageMs = this.#clockMs - (oldest?.atMs ?? this.#clockMs);
    this.#error = ageMs >= stopSeconds * 1000 ? unloggedError(stopSeconds) : undefined;
    if (oldest === undefined || ageMs < alarmSeconds * 1000 || this.#clockMs - this.#alarmedAtMs < ALARM_MS) return;
    this.#alarmedAtMs = this.#clockMs;
    const what = `the activity ${oldest.activityId} was executed, but has not been in the log for ${alarmSeconds} seconds`;
    this.#alarm(oldest.organizationId, what);
  }

  /** Why commits are suspended. Undefined if they are not. Ends once the log has the commits. */
  error(): LogError | undefined {
    return this.#tracked.size >= MAX_UNLOGGED ? unloggedError(this.#settings.stopSeconds) : this.#error;
  }

  /** Age of the oldest commit without a leaf, in milliseconds. 0 if the log has all of them. */
  oldestAgeMs(): number {
    const oldest: Tracked | undefined = this.#tracked.values().next().value;
    return oldest?.atMs === undefined ? 0 : this.#time() - oldest.atMs;
  }

  /** The number of the last commit. */
  get lastNumber(): number {
    return this.#commits;
  }

  /** The oldest commit of an organization up to a number that has no leaf. Overdue once an alarm is raised for such commits. */
  oldestOf(organizationId: string, lastNumber: number): (LoggedCommit & { readonly isOverdue: boolean }) | undefined {
    for (const { atMs, number, ...commit } of this.#tracked.values()) {
      if (number > lastNumber || atMs === undefined) return undefined;
      if (commit.organizationId === organizationId)
        return { ...commit, isOverdue: this.#time() - atMs >= this.#settings.alarmSeconds * 1000 };
    }
    return undefined;
  }

  /** Time that this process was running, in milliseconds. */
  #time(): number {
    return this.#clockMs + Math.min(this.#nowMs() - this.#checkedAtMs, MAX_STEP_MS);
  }
}

/** SECURITY: readiness shows the message without authentication, so it names no activity. The alarm does. */
function unloggedError(seconds: number): LogError {
  return new UnloggedError(
    `Executed activities have not reached the log for ${seconds} seconds, or too many have not.`,
    'Look for locks on the database, for triggers and for processes that delete from log_queue. Requests continue once the log has every executed activity.',
  );
}

/** Activities were executed that are not in the log. */
export class UnloggedError extends LogError {}

import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tryLock } from '../store/sqlite/installation-lock.ts';
import type { Release } from '../store/store.ts';
import { type LoggedCommit, noteLine, SLOTS, slotPath } from './note-files.ts';

/** A file of notes, and what this process knows about the commits in it. */
export interface NoteFile {
  readonly descriptor: number;
  /** The number of its commits whose leaf was not seen. */
  unlogged: number;
  /** The highest index of the leaves of its commits. */
  lastLeaf: number;
}

/** The locked slots of processes that ended. */
export interface EndedSlots {
  /** Removes their notes. Call only if a recorded checkpoint covers every commit in them. */
  remove(): void;
  release(): Promise<void>;
}

/**
 * Records the commits of this process in the data directory, until a recorded checkpoint of the log covers them. A process has a slot of
 * two files: one is written, and the other one is emptied once it is covered.
 * INVARIANT: a commit is recorded after it is durable and before any caller learns of it, so the notes never name more than was
 * committed. Writes are not flushed: the kernel keeps them if the process is killed, and the checkpoint of the log, which is flushed,
 * covers a machine that stops. If a file cannot be written, `onError` is called once and the service continues.
 */
export class CommitNotes {
  readonly #directory: string;
  readonly #onError: (error: unknown) => void;
  #slot: { readonly release: Release; current: NoteFile; other: NoteFile } | undefined;
  #publishedSize = 0;

  constructor(directory: string, onError: (error: unknown) => void) {
    this.#directory = directory;
    this.#onError = onError;
    this.#guarded(() => {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      for (let slot = 0; this.#slot === undefined; slot++) {
        if (slot === SLOTS) throw new Error(`${SLOTS} processes use ${directory}`);
        const release = tryLock(slotPath(directory, slot));
        if (release === undefined) continue;
        const [current, other] = filePaths(directory, slot);
        this.#slot = { release, current: openFile(current), other: openFile(other) };
      }
    });
  }

  /** Records the commits of a batch. Returns the file that they are in. */
  record(commits: readonly LoggedCommit[]): NoteFile | undefined {
    const file = this.#slot?.current;
    if (file === undefined || commits.length === 0) return undefined;
    file.unlogged += commits.length;
    this.#guarded(() => writeSync(file.descriptor, noteLine(commits)));
    return file;
  }

  /** A checkpoint of this size was recorded durably. */
  published(size: number): void {
    // Another process of the data directory may just have replaced it with the one before.
    const coveredSize = this.#publishedSize;
    this.#publishedSize = size;
    const { current, other } = this.#slot ?? {};
    if (this.#slot === undefined || current === undefined || other === undefined) return;
    if (other.unlogged > 0 || other.lastLeaf >= coveredSize) return;
    this.#guarded(() => ftruncateSync(other.descriptor));
    other.lastLeaf = -1;
    this.#slot.current = other;
    this.#slot.other = current;
  }

  /** Locks the slots of processes that ended and left notes, so that no process starts to use them. */
  lockEnded(): EndedSlots {
    const locks = new Map<number, Release>();
    this.#guarded(() => {
      for (let slot = 0; slot < SLOTS; slot++) {
        const release = hasNotes(this.#directory, slot) ? tryLock(slotPath(this.#directory, slot)) : undefined;
        if (release !== undefined) locks.set(slot, release);
      }
    });
    return {
      remove: () => {
        for (const slot of locks.keys()) for (const path of filePaths(this.#directory, slot)) rmSync(path, { force: true });
      },
      release: async () => {
        for (const release of locks.values()) await release();
      },
    };
  }

  /** Empties the slot of this process. Call only if a recorded checkpoint covers every commit in it. */
  clear(): void {
    const { current, other } = this.#slot ?? {};
    for (const file of [current, other]) {
      if (file === undefined || file.unlogged > 0) continue;
      this.#guarded(() => ftruncateSync(file.descriptor));
      file.lastLeaf = -1;
    }
  }

  close(): void {
    if (this.#slot === undefined) return;
    const { current, other, release } = this.#slot;
    this.#slot = undefined;
    closeSync(current.descriptor);
    closeSync(other.descriptor);
    // Releasing a file lock cannot fail.
    void release();
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#onError(error);
      this.close();
    }
  }
}

const filePaths = (directory: string, slot: number) => {
  const path = slotPath(directory, slot);
  return [`${path}.a`, `${path}.b`] as const;
};

function openFile(path: string): NoteFile {
  const descriptor = openSync(path, 'a', 0o600);
  const isEmpty = fstatSync(descriptor).size === 0;
  // A process that was killed may have left half a line.
  if (!isEmpty) writeSync(descriptor, '\n');
  // Commits of an earlier process stay until `clear`.
  return { descriptor, unlogged: 0, lastLeaf: isEmpty ? -1 : Number.POSITIVE_INFINITY };
}

const hasNotes = (directory: string, slot: number) =>
  filePaths(directory, slot).some((path) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0);

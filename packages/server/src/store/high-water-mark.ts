import { readFile } from 'node:fs/promises';
import { renameDurably } from './durable-file.ts';

/**
 * A recorded value that only rises. A restart or an older copy of the database cannot lower it unnoticed. Each mark has its own location,
 * format and authentication.
 */
export interface HighWaterMark<T, Raised = T> {
  /** Returns the recorded value, if any. */
  read(): Promise<T | undefined>;
  /**
   * Replaces `previous`, the value that was read. Returns the recorded value, which is another process's value if that process was first.
   */
  raise(value: Raised, previous?: T): Promise<Raised>;
}

/** A mark in a file of the data directory, out of reach of an attacker who can write only the database. */
export interface FileHighWaterMark<T, Raised = T> extends HighWaterMark<T, Raised> {
  /** Renames the file to preserve it as evidence. Returns the new name, or undefined if there is no file. */
  setAside(nowMs: number): Promise<string | undefined>;
}

/** Reads a text file. Returns undefined if it does not exist. */
export function readIfPresent(path: string): Promise<string | undefined> {
  return undefinedIfAbsent(readFile(path, 'utf8'));
}

/** Renames a file durably to `<path>.lost-<time>`. Returns the new name, or undefined if there is no file. */
export function renameAside(path: string, nowMs: number): Promise<string | undefined> {
  const aside = `${path}.lost-${new Date(nowMs).toISOString().replaceAll(':', '')}`;
  return undefinedIfAbsent(renameDurably(path, aside).then(() => aside));
}

async function undefinedIfAbsent<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

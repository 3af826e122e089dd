import { readFile } from 'node:fs/promises';
import { renameDurably } from './durable-file.ts';

/**
 * A recorded value that only rises. A restart, or an older copy of the database, cannot bring a lower value back unnoticed. Each mark has
 * its own place, format and authentication.
 */
export interface HighWaterMark<T, Raised = T> {
  /** The recorded value. Undefined if there is none. */
  read(): Promise<T | undefined>;
  /** Records a value in place of `previous`, the value that was read. Returns the recorded value: another process may have been first. */
  raise(value: Raised, previous?: T): Promise<Raised>;
}

/** A mark in a file of the data directory, out of reach of anyone who can write only the database. */
export interface FileHighWaterMark<T, Raised = T> extends HighWaterMark<T, Raised> {
  /** Renames the file. It stays as evidence, and nothing reads it. Returns the new name, or undefined if there is no file. */
  setAside(nowMs: number): Promise<string | undefined>;
}

/** The text of a file. Undefined if there is none. */
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

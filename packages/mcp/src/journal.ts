import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/** A request that was made for a reference, with the exact body. The service executes one body once. */
export interface Attempt {
  readonly reference: string;
  /** Hash of what the agent asked for. The same reference with another hash is another request. */
  readonly intent: string;
  readonly path: string;
  readonly body: string;
  readonly createdAtMs: number;
}

/** The known result of an attempt. */
export type Ending =
  /** The service has this activity for it. */
  | { readonly activityId: string }
  /** The service rejected it before it became an activity. It is never sent again. */
  | { readonly rejected: string };

/**
 * The requests of an agent by its references, in a folder that outlives the process.
 * INVARIANT: D700: the body is on the disk before it is sent, and at most one process creates it. An agent that repeats a proposal after a
 * timeout, or after a restart, sends the same bytes, which the service executes once.
 */
export class Journal {
  readonly #folder: string;
  readonly #scope: string;
  readonly #running = new Map<string, Promise<unknown>>();

  constructor(folder: string, scope: string) {
    this.#folder = folder;
    this.#scope = scope;
  }

  /** Runs one task for a reference at a time. */
  async exclusive<T>(reference: string, task: () => Promise<T>): Promise<T> {
    const before = this.#running.get(reference) ?? Promise.resolve();
    const run = before.then(task, task);
    this.#running.set(reference, run);
    try {
      return await run;
    } finally {
      if (this.#running.get(reference) === run) this.#running.delete(reference);
    }
  }

  /** The attempt with this number, from 1. */
  read(reference: string, number: number): Promise<Attempt | undefined> {
    return this.#readFile(this.#file(reference, number, 'request'));
  }

  /** Stores an attempt unless another process has: returns the one on the disk. */
  create(attempt: Attempt, number: number): Promise<Attempt> {
    return this.#createFile(this.#file(attempt.reference, number, 'request'), attempt);
  }

  ending(reference: string, number: number): Promise<Ending | undefined> {
    return this.#readFile(this.#file(reference, number, 'ending'));
  }

  async end(reference: string, number: number, ending: Ending): Promise<void> {
    await this.#createFile(this.#file(reference, number, 'ending'), ending);
  }

  #file(reference: string, number: number, kind: 'request' | 'ending'): string {
    const name = createHash('sha256').update(`${this.#scope}\n${reference}`).digest('hex');
    return join(this.#folder, `${name}-${number}-${kind}.json`);
  }

  async #readFile<T>(file: string): Promise<T | undefined> {
    try {
      return JSON.parse(await readFile(file, 'utf8')) as T;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Writes a whole file under its name in one step, on the disk. The first writer wins. */
  async #createFile<T>(file: string, content: T): Promise<T> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const fresh = join(this.#folder, `.${randomUUID()}`);
    const handle = await open(fresh, 'wx', 0o600);
    try {
      await handle.writeFile(JSON.stringify(content));
      await handle.sync();
    } finally {
      await handle.close();
    }
    try {
      await link(fresh, file);
      await syncFolder(this.#folder);
      return content;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return (await this.#readFile<T>(file)) as T;
    } finally {
      await unlink(fresh);
    }
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

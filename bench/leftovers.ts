import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { descendantsOf } from './cpu-time.ts';

/** How long a process may take to stop before it is killed. */
const STOP_MS = 10_000;

/** Lines that are kept of what processes complain about. */
const MAX_COMPLAINTS = 30;

/** The processes and files of a run. None of them outlives the run, however it ends. */
export class Leftovers {
  readonly #root: string;
  readonly #children = new Set<ChildProcess>();
  readonly #complaints: string[] = [];
  readonly #closers: (() => Promise<void>)[] = [];

  /** Makes one directory for all temporary files of this process and its children. */
  constructor() {
    this.#root = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
    // When this process runs as root, PostgreSQL runs as another user and must reach its own directory in here.
    chmodSync(this.#root, 0o711);
    process.env.TMPDIR = this.#root;
    // The last resort if close() was not called. An exit handler can only do synchronous work.
    process.once('exit', () => this.#sweep());
  }

  directory(): string {
    return mkdtempSync(join(this.#root, 'data-'));
  }

  /** Stops this process when the run ends. */
  own<C extends ChildProcess>(child: C): C {
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    return child;
  }

  /** Keeps the last lines of what a process complains about, for a run that fails. */
  listen(child: ChildProcess): void {
    createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', (line) => {
      // The line of a request is no complaint.
      if (line.startsWith('{"level":30,')) return;
      this.#complaints.push(line);
      if (this.#complaints.length > MAX_COMPLAINTS) this.#complaints.shift();
    });
  }

  /** What was heard last, from the oldest line on. */
  complaints(): readonly string[] {
    return this.#complaints;
  }

  /** Starts a module of this folder in its own process, with a message channel. */
  fork(module: string, args: readonly string[] = []): ChildProcess {
    return this.own(fork(fileURLToPath(new URL(module, import.meta.url)), [...args], { serialization: 'advanced' }));
  }

  /** Stops a process before the run ends. */
  async end(child: ChildProcess): Promise<void> {
    await stop(child);
  }

  /** Calls `close` after the processes have stopped. */
  onClose(close: () => Promise<void>): void {
    this.#closers.push(close);
  }

  /** Stops everything in order. The exit handler removes the rest. */
  async close(): Promise<void> {
    await Promise.all([...this.#children].map(stop));
    await Promise.all(this.#closers.splice(0).map((close) => close()));
  }

  #sweep(): void {
    for (const pid of descendantsOf(process.pid)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // The process has already ended.
      }
    }
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 10 });
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await exited;
  clearTimeout(timer);
}

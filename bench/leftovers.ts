import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { descendantsOf } from './cpu-time.ts';

/** How long a process may take to stop before it is killed. */
const STOP_MS = 10_000;

/** Processes and files of a run. Whatever way the run ends, none of them outlives it. */
export class Leftovers {
  readonly #root: string;
  readonly #children = new Set<ChildProcess>();
  readonly #closers: (() => Promise<void>)[] = [];

  /** Makes one directory for all temporary files of this process and of those it starts. */
  constructor() {
    this.#root = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
    // PostgreSQL runs as another user where this is root, and must reach its own directory in here.
    chmodSync(this.#root, 0o711);
    process.env.TMPDIR = this.#root;
    // The last resort, for an end that nobody waited for: at this point only synchronous work is done.
    process.once('exit', () => this.#sweep());
  }

  /** A new directory. */
  directory(): string {
    return mkdtempSync(join(this.#root, 'data-'));
  }

  /** Takes charge of a process. */
  own<C extends ChildProcess>(child: C): C {
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    return child;
  }

  /** Starts a module of this folder in a process of its own, which takes and gives messages. */
  fork(module: string, args: readonly string[] = []): ChildProcess {
    return this.own(fork(fileURLToPath(new URL(module, import.meta.url)), [...args], { serialization: 'advanced' }));
  }

  /** Has `close` called when the processes have stopped. */
  onClose(close: () => Promise<void>): void {
    this.#closers.push(close);
  }

  /** Stops everything in good order. What is left after that goes when this process ends. */
  async close(): Promise<void> {
    await Promise.all([...this.#children].map(stop));
    await Promise.all(this.#closers.splice(0).map((close) => close()));
  }

  #sweep(): void {
    for (const pid of descendantsOf(process.pid)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended by itself meanwhile.
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

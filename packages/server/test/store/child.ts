import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { bundleProgram } from '../../../../test/support/bundle-program.ts';

/** What a separate process does with a store. `location` is a file or a postgres:// URL. */
export interface ChildTask {
  readonly location: string;
  /** Commits signatures one after the other and prints each id once it is durable; ends after `count` of them. */
  readonly commitTo?: { readonly organizationId: string; readonly count: number; readonly bodyLength: number };
  /** Holds the installation, prints "held" and keeps running. */
  readonly lock?: 'shared' | 'exclusive';
  /** Opens with another migration that never ends, so that it can be killed during it. Prints "migrating" first. */
  readonly endlessMigration?: boolean;
}

export interface Child {
  readonly process: ChildProcess;
  /** The lines printed so far. */
  readonly lines: readonly string[];
  /** Resolves when that many lines have been printed. Rejects if the process ends before. */
  printed(count: number): Promise<void>;
  /** Kills it, like a crash. */
  kill(): Promise<void>;
  /** Resolves with the exit code. */
  ended(): Promise<number | null>;
}

/** Starts a process with a task. `shell` is prepended to the command line, for instance to set limits. */
export async function startChild(task: ChildTask, shell = ''): Promise<Child> {
  const script = await bundleProgram(new URL('./child-main.ts', import.meta.url));
  const command = [process.execPath, script, JSON.stringify(task)];
  const quoted = command.map((part) => `'${part.replaceAll("'", "'\\''")}'`).join(' ');
  const child = spawn('/bin/sh', ['-c', `${shell} exec ${quoted}`], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => lines.push(line));
  const end = once(child, 'close');
  const ended = async (): Promise<number | null> => {
    await end;
    return child.exitCode;
  };
  return {
    process: child,
    lines,
    async printed(count) {
      while (lines.length < count) {
        await Promise.race([once(reader, 'line'), end]);
        if (child.exitCode !== null && lines.length < count)
          throw new Error(`the child ended with ${child.exitCode}: ${lines.join(' ')}`);
      }
    },
    async kill() {
      child.kill('SIGKILL');
      await end;
    },
    ended,
  };
}

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The Node and the command under test. `npm run test:nodes` names others. */
const NODE = process.env.TEST_NODE ?? process.execPath;
const COMMAND =
  process.env.TEST_COMMAND ?? fileURLToPath(new URL('../../../../packages/cli/bin/countersign.js', import.meta.url));

/** How a process ended, and its whole output. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The real command in a process of its own. */
export interface CommandProcess {
  readonly pid: number;
  readonly ended: Promise<Ending>;
  /** Whether it still runs. */
  isRunning(): boolean;
  stderr(): string;
  /** The first line on stdout. Rejects with stderr if the process ends before. */
  firstLine(): Promise<string>;
  signal(name: NodeJS.Signals): void;
  /** kill -9, and wait for the end. */
  kill(): Promise<Ending>;
}

export interface CommandOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Shell words before the command, such as a limit to set. */
  readonly shell?: string;
  /** In its own process group, which can be signalled as a terminal does. */
  readonly group?: boolean;
}

const running = new Set<ChildProcess>();
// Last resort for an interrupted test: no server outlives the process that started it.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts `countersign` with these arguments. */
export function startCommand(words: readonly string[], options: CommandOptions = {}): CommandProcess {
  const command = [NODE, COMMAND, ...words];
  const [program = '', ...rest] =
    options.shell === undefined ? command : ['/bin/sh', '-c', `${options.shell}; exec "$@"`, 'sh', ...command];
  return watch(
    spawn(program, rest, {
      // One process instead of three. TEST_ISOLATE=auto runs the tests with the default.
      env: { ...cleanEnvironment(), COUNTERSIGN_ISOLATE: process.env.TEST_ISOLATE ?? 'off', ...options.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: options.group === true,
    }),
  );
}

/** Runs `countersign` with these arguments until it ends. */
export function runCommand(words: readonly string[], options?: CommandOptions): Promise<Ending> {
  return startCommand(words, options).ended;
}

/** Watches a process that was started with piped output. */
function watch(child: ChildProcess): CommandProcess {
  running.add(child);
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.on('data', (chunk: Buffer) => {
      said[name] += chunk.toString();
    });
  }
  const ended = new Promise<Ending>((resolve) => {
    child.once('close', (code, signal) => {
      running.delete(child);
      resolve({ code, signal, ...said });
    });
  });
  return {
    pid: child.pid as number,
    ended,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    stderr: () => said.stderr,
    firstLine: () =>
      new Promise((resolve, reject) => {
        const look = () => said.stdout.includes('\n') && resolve(said.stdout.slice(0, said.stdout.indexOf('\n')));
        child.stdout?.on('data', look);
        look();
        ended.then(({ code, signal, stderr }) => reject(new Error(`ended with ${signal ?? code}: ${stderr}`)));
      }),
    signal: (name) => void child.kill(name),
    kill() {
      child.kill('SIGKILL');
      return ended;
    },
  };
}

/** The environment without the settings of the person who runs the tests. */
function cleanEnvironment(): Record<string, string> {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('COUNTERSIGN_') && name !== 'NODE_OPTIONS');
  return Object.fromEntries(own) as Record<string, string>;
}

/** The running children of a process. */
export function childrenOf(pid: number): number[] {
  if (!existsSync('/proc/self/stat')) return pgrep(pid);
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((entry) => parentOf(entry) === pid)
    .map(Number);
}

/** Whether a process exists. One that ended and was not yet waited for does not count. */
export function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !existsSync('/proc/self/stat') || statusOf(String(pid))?.[0] !== 'Z';
  } catch {
    return false;
  }
}

function pgrep(pid: number): number[] {
  try {
    return execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map(Number);
  } catch {
    return []; // it fails if there are none
  }
}

/** proc(5): state and parent are the first fields after the name, which is in parentheses and may hold any character. */
function statusOf(pid: string): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined; // it ended in the meantime
  }
}

function parentOf(pid: string): number | undefined {
  const status = statusOf(pid);
  return status === undefined || status[0] === 'Z' ? undefined : Number(status[1]);
}

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export const deployFolder = join(import.meta.dirname, '../../deploy');

/** A program of an operator, until `stop`. */
export interface Program {
  readonly output: () => string;
  /** Throws with its output if it has ended. */
  requireRunning(): void;
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();
// Last resort for an interrupted test.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a program. Its output is kept for messages. */
export function startProgram(
  path: string,
  words: readonly string[],
  options: Pick<SpawnOptions, 'uid' | 'gid' | 'env'> = {},
): Program {
  const child = spawn(path, words, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk;
    });
  }
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    output: () => output,
    requireRunning() {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${path} ended: ${output}`);
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
      running.delete(child);
    },
  };
}

/** A port of this machine that nothing listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Waits until a service is ready. Throws if its program ends before. */
export async function untilReady(url: string, program: Program): Promise<void> {
  while ((await fetch(`${url}/readyz`).catch(() => undefined))?.status !== 200) {
    program.requireRunning();
    await sleep(100);
  }
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { engines, type Installation } from '../../support/installation.ts';
import { createWallet } from '../../support/world.ts';
import { childrenOf } from './support/command-process.ts';
import { placeOf, serve } from './support/serving.ts';
import { waitUntil } from './support/wait-until.ts';

/** Lets each inspector that opens take a free port, so that none fails because another one is open. */
const environment = { NODE_OPTIONS: '--inspect-port=0' };

/** The number of TCP sockets on which a process listens. proc(5): state 0A in the fourth column, the inode in the tenth. */
function listeningSockets(pid: number): number {
  const inodes = new Set(
    ['tcp', 'tcp6']
      .flatMap((table) => readFileSync(`/proc/${pid}/net/${table}`, 'latin1').split('\n').slice(1))
      .map((line) => line.trim().split(/\s+/))
      .filter((columns) => columns[3] === '0A')
      .map((columns) => `socket:[${columns[9]}]`),
  );
  return readdirSync(`/proc/${pid}/fd`).filter((fd) => inodes.has(socketOf(pid, fd))).length;
}

function socketOf(pid: number, fd: string): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch {
    return ''; // it was closed meanwhile
  }
}

describe('SIGUSR1, which opens the inspector of Node', () => {
  let installation: Installation;

  beforeEach(async () => {
    installation = await engines.sqlite();
  });
  afterEach(() => installation?.remove());

  test('opens it in a process that does not guard itself', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.log("ready")'], {
      env: { ...process.env, ...environment },
    });
    await once(child.stdout, 'data');
    child.kill('SIGUSR1');
    const isOpen = await waitUntil(60_000, () => listeningSockets(child.pid as number) === 1);
    child.kill('SIGKILL');
    expect(isOpen).toBe(true);
  });

  test.each([1, 2])('A43: does nothing to a server with %i workers, nor to the workers', async (workers) => {
    const serving = await serve(placeOf(installation), ['--workers', String(workers)], { environment });
    const processes = [serving.pid, ...childrenOf(serving.pid)];
    expect(processes).toHaveLength(workers === 1 ? 1 : 1 + workers);
    const before = processes.map(listeningSockets);
    for (const pid of processes) process.kill(pid, 'SIGUSR1');
    // Each worker serves some of these, so each event loop has been around since.
    for (let request = 0; request < 20; request++) await createWallet(serving.root);
    expect(processes.map(listeningSockets)).toEqual(before);
    serving.signal('SIGTERM');
    const { code, stderr } = await serving.ended;
    expect(code).toBe(0);
    expect(stderr).not.toMatch(/Debugger|inspector/i);
  });
});

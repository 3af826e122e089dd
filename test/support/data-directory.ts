import { accessSync, chmodSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Names the directory of the run to the processes of the run. */
const VARIABLE = 'TEST_DATA_DIRECTORY';
const RUN = /^countersign-run-(\d+)-/;
const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 4 * 2 ** 30;
const ABANDONED_MS = 3_600_000;

/**
 * A new directory for a database and what belongs to it. In a test run it is in memory, where the machine has a file system for
 * that: a disk that stalls makes no test slow. Only data goes there: such a file system may refuse to execute files.
 * Long runs, which are about disks, and benchmarks get a directory on the disk.
 */
export function makeDataDirectory(what: string): string {
  return mkdtempSync(join(process.env[VARIABLE] ?? tmpdir(), `countersign-${what}-`));
}

/** Makes the directory that holds the data of this run. The result removes it, with whatever tests left there. */
export function openRunDirectory(): () => void {
  const parent = hasRoomInMemory() ? MEMORY : tmpdir();
  removeAbandoned(parent);
  const directory = mkdtempSync(join(parent, `countersign-run-${process.pid}-`));
  // PostgreSQL runs as another user if root runs the tests, and must reach its own directory. Each directory inside is its owner's alone.
  chmodSync(directory, 0o711);
  process.env[VARIABLE] = directory;
  return () => {
    delete process.env[VARIABLE];
    // A process that was killed may still write for a moment.
    rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
}

function hasRoomInMemory(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ENOUGH_BYTES;
  } catch {
    return false;
  }
}

/** Removes what runs left that were killed: it would take memory until the machine restarts. */
function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = RUN.exec(name)?.[1];
    if (pid === undefined || isRunning(Number(pid))) continue;
    const path = join(parent, name);
    try {
      // The run may be in another container, where process ids are others: one that is young is left alone.
      if (Date.now() - statSync(path).mtimeMs > ABANDONED_MS) rmSync(path, { recursive: true, force: true });
    } catch {
      // It belongs to somebody else, or is being removed.
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

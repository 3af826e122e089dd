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
 * Creates a directory for a database and its files. In a test run it is in memory if the machine has a file system for that, so that
 * a slow disk does not delay tests. Such a file system may be mounted noexec: use it only for data. Long runs, which test disks, and
 * benchmarks get a directory on the disk.
 */
export function makeDataDirectory(what: string): string {
  return mkdtempSync(join(process.env[VARIABLE] ?? tmpdir(), `countersign-${what}-`));
}

/** Creates the data directory of this run. The result removes it with its content. */
export function openRunDirectory(): () => void {
  const parent = hasRoomInMemory() ? MEMORY : tmpdir();
  removeAbandoned(parent);
  const directory = mkdtempSync(join(parent, `countersign-run-${process.pid}-`));
  // If root runs the tests, PostgreSQL runs as another user and must reach its own directory. Only its owner can read each subdirectory.
  chmodSync(directory, 0o711);
  process.env[VARIABLE] = directory;
  return () => {
    delete process.env[VARIABLE];
    // A killed process may still write for a short time.
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

/** Removes the directories of killed runs, which would occupy memory until the machine restarts. */
function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = RUN.exec(name)?.[1];
    if (pid === undefined || isRunning(Number(pid))) continue;
    const path = join(parent, name);
    try {
      // The run may be in another container with its own process ids: keep recent directories.
      if (Date.now() - statSync(path).mtimeMs > ABANDONED_MS) rmSync(path, { recursive: true, force: true });
    } catch {
      // It belongs to another user, or another process removes it now.
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

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('failing-storage.c', import.meta.url));

/** How the storage fails. */
export type StorageFailure = 'full' | 'read-only' | 'sync';

/** How one call fails: with an error, or by the death of the process before it. */
export type CallFailure = 'EIO' | 'ENOSPC' | 'kill';

/** Storage that fails on command, for one process and one directory. Needs no rights: a library stands between the process and libc. */
export interface FailingStorage {
  readonly environment: Readonly<Record<string, string>>;
  fail(how: StorageFailure): void;
  /** The environment of a process whose call with this number fails, of all calls that make something durable. Counted from 1. */
  failingCall(number: number, how: CallFailure): Readonly<Record<string, string>>;
  heal(): void;
  remove(): void;
}

/** Why there is no such storage here; undefined if there is. */
export function missingForFailingStorage(): string | undefined {
  if (process.platform !== 'linux') return 'LD_PRELOAD and /proc need Linux';
  return spawnSync('cc', ['--version']).status === 0 ? undefined : 'a C compiler (cc) is needed';
}

export function createFailingStorage(directory: string): FailingStorage {
  const home = mkdtempSync(join(tmpdir(), 'countersign-torture-'));
  const [library, file] = [join(home, 'failing-storage.so'), join(home, 'failure')];
  const built = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, SOURCE, '-ldl'], { encoding: 'utf8' });
  if (built.status !== 0 || !existsSync(library)) throw new Error(`the failing storage does not compile: ${built.stderr}`);
  const environment = { LD_PRELOAD: library, FAILING_STORAGE_FILE: file, FAILING_STORAGE_DIRECTORY: directory };
  return {
    environment,
    failingCall: (number, how) => ({ ...environment, FAILING_STORAGE_CALL: String(number), FAILING_STORAGE_HOW: how }),
    fail: (how) => writeFileSync(file, how),
    heal: () => rmSync(file, { force: true }),
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

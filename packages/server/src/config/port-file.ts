import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '@countersign/contract/operator-error';

/** Where a running server listens, for commands on the same machine. */
export interface Listening {
  readonly pid: number;
  readonly port: number;
  /** The base URL of the API. */
  readonly url: string;
}

/** The port file may be from another user, so what it contains is not used. */
export class PortFileError extends OperatorError {
  override readonly name = 'PortFileError';
}

/** The server writes this file when it is ready, and removes it when it stops. */
export const portFile = (dataDir: string): string => join(dataDir, 'listening.json');

/** The server that runs on this data. Undefined if none runs, or it has no port file. Throws PortFileError if another user may have written it. */
export function readPortFile(dataDir: string): Listening | undefined {
  const path = portFile(dataDir);
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ELOOP') return undefined;
    throw new PortFileError(`${path} is a symbolic link.`, 'Remove it and restart the service, or pass --url.');
  }
  try {
    const stats = fstatSync(file);
    const problem = portFileProblem(stats, statSync(dataDir));
    if (problem !== undefined)
      throw new PortFileError(`${path} ${problem}.`, 'Remove it and restart the service, or pass --url.');
    const found = parse(readFileSync(file, 'utf8'));
    return found !== undefined && isRunning(found.pid, stats.uid) ? found : undefined;
  } finally {
    closeSync(file);
  }
}

/**
 * Why a command must not trust a port file. It completes a sentence that begins with the file.
 * SECURITY: D510: the file decides where stamped requests go and who answers queries. It counts only if its writer is this user, root or
 * the owner of the data directory, who could replace the credentials, too.
 */
export function portFileProblem(
  file: Pick<Stats, 'uid' | 'mode'> & Pick<Stats, 'isFile'>,
  directory: Pick<Stats, 'uid'>,
  self = process.geteuid?.(),
): string | undefined {
  if (!file.isFile()) return 'is not a file';
  // Without POSIX users there is nothing to compare.
  if (self === undefined) return undefined;
  if (![self, 0, directory.uid].includes(file.uid)) return `belongs to another user (uid ${file.uid})`;
  return (file.mode & 0o022) === 0 ? undefined : `can be written by other users (mode 0${(file.mode & 0o777).toString(8)})`;
}

function parse(text: string): Listening | undefined {
  try {
    const { pid, port, url } = JSON.parse(text) as Record<keyof Listening, unknown>;
    const isPid = Number.isSafeInteger(pid) && (pid as number) > 0;
    const isPort = Number.isInteger(port) && (port as number) > 0 && (port as number) < 65_536;
    if (isPid && isPort && typeof url === 'string' && URL.canParse(url)) return { pid, port, url } as Listening;
  } catch {
    // Half written by a server that is starting, or by an earlier release.
  }
  return undefined;
}

/** Whether the process exists. A process of another user than the writer of the file has only the same number. */
function isRunning(pid: number, writer: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' && writer !== process.geteuid?.();
  }
}

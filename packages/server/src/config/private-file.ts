import type { Stats } from 'node:fs';

/** Why a file must not contain a secret, and how to fix it. */
export interface FileObjection {
  /** Completes a sentence that begins with the file. */
  readonly problem: string;
  readonly fix: string;
}

/**
 * Why the service, running as user `self`, must not read a secret from this file. Undefined if it may.
 * `replace` describes how to replace the secret, in case others have read the file.
 */
export function privateFileObjection(
  path: string,
  stats: Pick<Stats, 'uid' | 'mode'>,
  replace: string,
  self = process.geteuid?.(),
): FileObjection | undefined {
  // Without POSIX users there is nothing to compare.
  if (self === undefined) return undefined;
  if (stats.uid !== self && stats.uid !== 0) {
    return { problem: `belongs to another user (uid ${stats.uid})`, fix: `chown ${self} ${path}` };
  }
  if ((stats.mode & 0o077) !== 0) {
    const mode = (stats.mode & 0o777).toString(8).padStart(4, '0');
    return {
      problem: `is open to other users (mode ${mode})`,
      fix: `chmod 600 ${path}, and ${replace} if anyone else may have read it`,
    };
  }
  return undefined;
}

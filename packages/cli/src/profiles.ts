import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Context } from './context.ts';
import { CliFault } from './faults.ts';

/** The profile in use where none is named. */
export const DEFAULT_PROFILE = 'default';

/** The file of a profile: the same form as the credentials that `countersign init` saves. Throws CliFault for a name that is no file name. */
export function profileFile({ environment }: Context, name: string): string {
  if (!/^[\w.-]{1,64}$/.test(name) || name.startsWith('.')) {
    throw new CliFault(`"${name}" is no name for a profile.`, 'Use letters, digits, dashes and dots.');
  }
  return join(profileFolder(environment), `${name}.json`);
}

/** The names of all profiles. */
export function profileNames({ environment }: Context): string[] {
  const folder = profileFolder(environment);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .sort();
}

/** As the XDG base directory specification has it. */
function profileFolder(environment: Context['environment']): string {
  const base = environment.XDG_CONFIG_HOME || join(environment.HOME || homedir(), '.config');
  return join(base, 'countersign');
}

/** Writes a file that holds a private key, as JSON. */
export function writeSecretFile(file: string, content: object, options?: { readonly replace?: boolean }): void {
  writeSecretText(file, `${JSON.stringify(content, null, 2)}\n`, options);
}

/** Writes a file that holds a secret. SECURITY: nobody but its owner can read it, from its first byte on. */
export function writeSecretText(file: string, text: string, { replace = false } = {}): void {
  mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
  try {
    if (replace) replaceSecret(file, text);
    else writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new CliFault(`${file} exists already.`, 'Name another file, or remove it if nobody needs the key in it.', { cause });
    }
    throw new CliFault(`${file} cannot be written: ${(cause as Error).message}`, 'Check the path and its permissions.', {
      cause,
    });
  }
}

/** SECURITY: D233: a new file takes the place of the old one. Whoever could read that one, or has it open, reads nothing of this one. */
function replaceSecret(file: string, text: string): void {
  const fresh = `${file}.${randomUUID()}`;
  try {
    writeFileSync(fresh, text, { mode: 0o600, flag: 'wx' });
    renameSync(fresh, file);
  } finally {
    rmSync(fresh, { force: true });
  }
}

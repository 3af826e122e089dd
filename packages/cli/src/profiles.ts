import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Context } from './context.ts';
import { CliError, UsageError } from './errors.ts';

/** The default profile. */
export const DEFAULT_PROFILE = 'default';

/** File of a profile, in the format of the credentials that `countersign init` saves. Throws CliError for an invalid name. */
export function profileFile({ environment }: Context, name: string): string {
  if (!/^[\w.-]{1,64}$/.test(name) || name.startsWith('.')) {
    throw new UsageError(`"${name}" is not a valid profile name.`, 'Use letters, digits, dashes and dots.');
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

/** XDG base directory specification. */
function profileFolder(environment: Context['environment']): string {
  const base = environment.XDG_CONFIG_HOME || join(environment.HOME || homedir(), '.config');
  return join(base, 'countersign');
}

/** Writes a file with a private key, as JSON. */
export function writeSecretFile(file: string, content: object, options?: { readonly replace?: boolean }): void {
  writeSecretText(file, `${JSON.stringify(content, null, 2)}\n`, options);
}

/** Writes a file with a secret. SECURITY: only its owner can read it, from the first byte. */
export function writeSecretText(file: string, text: string, { replace = false } = {}): void {
  mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
  try {
    if (replace) replaceSecret(file, text);
    else writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new CliError(`${file} already exists.`, 'Choose another file, or remove it if its key is not needed.', { cause });
    }
    throw new CliError(`${file} cannot be written: ${(cause as Error).message}`, 'Check the path and its permissions.', {
      cause,
    });
  }
}

/** SECURITY: D233: replaces the old file with a new one. A reader of the old file, or a process that has it open, cannot read the new one. */
function replaceSecret(file: string, text: string): void {
  const fresh = `${file}.${randomUUID()}`;
  try {
    writeFileSync(fresh, text, { mode: 0o600, flag: 'wx' });
    renameSync(fresh, file);
  } finally {
    rmSync(fresh, { force: true });
  }
}

import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { ConfigError } from './config-error.ts';
import { privateFileObjection } from './private-file.ts';

/**
 * Reads a secret from the file that a variable names, without the trailing line break.
 * Throws ConfigError if the file cannot be read, or if other users can read it.
 */
export function readSecretFile(variable: string, path: string): string {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    // SECURITY: check the open file, so that it cannot be swapped between check and read.
    const objection = privateFileObjection(path, fstatSync(file), 'change the secret');
    if (objection !== undefined) {
      throw new ConfigError(`${variable} names a file that ${objection.problem}: ${path}`, objection.fix);
    }
    return withoutLineEnd(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw cause instanceof ConfigError ? cause : unreadable(variable, path, cause);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

export const withoutLineEnd = (text: string) => text.replace(/\r?\n$/, '');

export function unreadable(variable: string, path: string, cause: unknown): ConfigError {
  return new ConfigError(`${variable} names a file that cannot be read: ${path}`, 'Check the path and its permissions.', {
    cause,
  });
}

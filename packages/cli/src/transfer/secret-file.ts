import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import type { Context } from '../context.ts';
import { CliError, UsageError } from '../errors.ts';

/** Destination of a secret. It is opened before the secret is requested. */
export interface SecretOutput {
  /** Readable name of the destination. */
  readonly place: string;
  write(secret: string): void;
  /** Removes the empty file after a failure. */
  discard(): void;
}

export interface SecretOutputFlags {
  readonly out?: string;
  readonly print?: true;
}

/**
 * A new file that only its owner can read, or standard output if the user requested it.
 * SECURITY: never replaces an existing file, which may be another secret or a symbolic link.
 */
export function openSecretOutput({ stdout }: Context, { out, print }: SecretOutputFlags): SecretOutput {
  if ((out === undefined) === (print === undefined)) {
    throw new UsageError(
      'The secret has no destination.',
      'Pass either --out <file>, which only you will be able to read, or --print, for standard output.',
    );
  }
  if (out === undefined) return { place: 'standard output', write: (secret) => stdout.write(`${secret}\n`), discard: () => {} };
  let file: number;
  try {
    file = openSync(out, 'wx', 0o600);
  } catch (cause) {
    const exists = (cause as NodeJS.ErrnoException).code === 'EEXIST';
    throw new CliError(
      exists ? `${out} already exists and will not be replaced.` : `${out} cannot be written.`,
      'Choose another file with --out, or move this one.',
      { cause },
    );
  }
  return {
    place: out,
    write(secret) {
      writeSync(file, `${secret}\n`);
      fsyncSync(file);
      closeSync(file);
    },
    discard() {
      closeSync(file);
      rmSync(out);
    },
  };
}

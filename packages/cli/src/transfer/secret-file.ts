import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import type { Context } from '../context.ts';
import { CliFault } from '../faults.ts';

/** Where a secret goes. It is ready before the secret is requested. */
export interface SecretOutput {
  /** For the message to the person. */
  readonly place: string;
  write(secret: string): void;
  /** Removes what was prepared, because no secret came. */
  discard(): void;
}

export interface SecretOutputFlags {
  readonly out?: string;
  readonly print?: true;
}

/**
 * A new file that only its owner can read, or standard output if the user explicitly asked for it.
 * SECURITY: never replaces an existing file, which may be another secret or a link that leads elsewhere.
 */
export function openSecretOutput({ stdout }: Context, { out, print }: SecretOutputFlags): SecretOutput {
  if ((out === undefined) === (print === undefined)) {
    throw new CliFault(
      'No destination is given for the secret.',
      'Give either --out <file>, which only you will be able to read, or --print, for standard output.',
    );
  }
  if (out === undefined) return { place: 'standard output', write: (secret) => stdout.write(`${secret}\n`), discard: () => {} };
  let file: number;
  try {
    file = openSync(out, 'wx', 0o600);
  } catch (cause) {
    const exists = (cause as NodeJS.ErrnoException).code === 'EEXIST';
    throw new CliFault(
      exists ? `${out} already exists and will not be replaced.` : `${out} cannot be written.`,
      'Name another file with --out, or move this one away.',
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

import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import type { Context } from '../context.ts';
import { CliFault } from '../faults.ts';

/** Where a secret goes. It is made sure of before the secret is asked for. */
export interface SecretOutput {
  /** For the message to the person. */
  readonly place: string;
  write(secret: string): void;
  /** Takes back what was prepared, because nothing came. */
  discard(): void;
}

export interface SecretOutputFlags {
  readonly out?: string;
  readonly print?: true;
}

/**
 * A new file that only its owner can read, or standard output where that was asked for in as many words.
 * SECURITY: an existing file is not replaced: it may be another secret, or a link that leads elsewhere.
 */
export function openSecretOutput({ stdout }: Context, { out, print }: SecretOutputFlags): SecretOutput {
  if ((out === undefined) === (print === undefined)) {
    throw new CliFault(
      'It is not said where the secret is to go.',
      'Give either --out <file>, which only you will be able to read, or --print, to have it on standard output.',
    );
  }
  if (out === undefined) return { place: 'standard output', write: (secret) => stdout.write(`${secret}\n`), discard: () => {} };
  let file: number;
  try {
    file = openSync(out, 'wx', 0o600);
  } catch (cause) {
    const exists = (cause as NodeJS.ErrnoException).code === 'EEXIST';
    throw new CliFault(
      exists ? `${out} exists already, and is not replaced.` : `${out} cannot be written.`,
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

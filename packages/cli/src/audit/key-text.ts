import { readFile } from 'node:fs/promises';
import { CliError } from '../errors.ts';

/** A key contains a plus sign (C2SP signed-note). Any other text is a file name. */
export async function keyText(given: string): Promise<string> {
  if (given.includes('+')) return given;
  return readFile(given, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CliError(
      `The key ${given} cannot be read: ${error.code}.`,
      'Pass the key from /log/key, or a file that contains it.',
    );
  });
}

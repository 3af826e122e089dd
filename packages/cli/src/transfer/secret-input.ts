import { readFile } from 'node:fs/promises';
import type { Context } from '../context.ts';
import { CliFault } from '../faults.ts';

/**
 * The text of a secret from a file, or from standard input for `-`, without the line feed that editors put at the end.
 * SECURITY: never from the command line itself, which other users and the shell's history can read.
 */
export async function readSecret(context: Context, flag: string, file: string): Promise<string> {
  const text = file === '-' ? await context.readStdin() : await readSecretFile(flag, file);
  return text.replace(/\r?\n$/, '');
}

async function readSecretFile(flag: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    // SECURITY: the user may have put the secret itself here, so repeat neither the path nor the system's message with it.
    throw new CliFault(`${flag} does not name a file that can be read.`, `Give a path, or ${flag} - to read standard input.`);
  }
}

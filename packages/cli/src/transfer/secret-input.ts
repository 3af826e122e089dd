import { readFile } from 'node:fs/promises';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';

/**
 * Reads a secret from a file, or from standard input for `-`, without the trailing line feed of editors.
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
    // SECURITY: the value may be the secret itself, so the message contains neither the path nor the system's message.
    throw new UsageError(`${flag} is not a readable file.`, `Pass a path, or ${flag} - to read standard input.`);
  }
}

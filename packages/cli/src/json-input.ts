import { readFile } from 'node:fs/promises';
import type { Context } from './context.ts';
import { UsageFault } from './faults.ts';

/** The text that a flag means: the text itself, the content of a file after `@`, or standard input for `-`. */
export async function readInput(context: Context, flag: string, given: string): Promise<string> {
  if (given === '-') return context.readStdin();
  if (!given.startsWith('@')) return given;
  const path = given.slice(1);
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new UsageFault(`${flag} names a file that cannot be read: ${path}`, 'Check the path and its permissions.', { cause });
  }
}

/** The JSON value that a flag means. Throws UsageFault if it is not JSON. */
export async function readJsonInput(context: Context, flag: string, given: string): Promise<unknown> {
  const text = await readInput(context, flag, given);
  try {
    return JSON.parse(text);
  } catch (cause) {
    const fix = `Give JSON, for example ${flag} '{"name":"value"}', or a file with ${flag} @file.json, or ${flag} - to read standard input.`;
    throw new UsageFault(`${flag} is not JSON: ${(cause as Error).message}`, fix, { cause });
  }
}

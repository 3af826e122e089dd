import { readFile } from 'node:fs/promises';
import type { Context } from './context.ts';
import { UsageError } from './errors.ts';

/** Text of a flag: the value itself, the content of a file after `@`, or standard input for `-`. */
export async function readInput(context: Context, flag: string, value: string): Promise<string> {
  if (value === '-') return context.readStdin();
  if (!value.startsWith('@')) return value;
  const path = value.slice(1);
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new UsageError(`${flag} names a file that cannot be read: ${path}`, 'Check the path and its permissions.', { cause });
  }
}

/** JSON value of a flag. Throws UsageError if it is not JSON. */
export async function readJsonInput(context: Context, flag: string, value: string): Promise<unknown> {
  const text = await readInput(context, flag, value);
  try {
    return JSON.parse(text);
  } catch (cause) {
    const fix = `Pass JSON, for example ${flag} '{"name":"value"}', or a file with ${flag} @file.json, or ${flag} - to read standard input.`;
    throw new UsageError(`${flag} is not JSON: ${(cause as Error).message}`, fix, { cause });
  }
}

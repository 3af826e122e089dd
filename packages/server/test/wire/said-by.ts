import type { WrittenJson } from '../../src/wire/written-json.ts';

/** The text of JSON that is written already. */
export function textOf({ parts, length }: WrittenJson): string {
  const bytes = Buffer.concat(parts);
  if (bytes.length !== length) throw new Error(`${bytes.length} bytes are said to be ${length}`);
  return bytes.toString('utf8');
}

/** What JSON that is written already says. */
export function saidBy<T>(json: WrittenJson<T>): T {
  return JSON.parse(textOf(json)) as T;
}

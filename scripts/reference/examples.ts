import { readFile } from 'node:fs/promises';
import type { Example } from '../examples/recorder.ts';
import { block } from './markdown.ts';

/** Where the recorded examples are. */
export const examplesFile = new URL('../../docs/reference/examples.json', import.meta.url);
const LONGEST = 40;

/** Examples by the operation's name. */
export type Examples = Readonly<Record<string, Example>>;

/** The file that "npm run examples" wrote. */
export function examplesText(): Promise<string> {
  return readFile(examplesFile, 'utf8');
}

/** The note about examples on the page of an operation. */
export const examplesNote =
  'The values come from a real run on the specification’s path. Their ids, keys and tokens belong to a service that no longer exists. Strings of more than 200 characters are cut and end in `…`. [examples.json](../examples.json) has all of them in one file.';

/** The recorded call of an operation. */
export function exampleOf(examples: Examples, name: string): Example {
  const example = examples[name];
  if (example === undefined) throw new Error(`${name} has no example; "npm run examples" records one`);
  return example;
}

/** The response, collapsed if it is long. */
export function responsePart({ response }: Example): string {
  const text = JSON.stringify(response, null, 2);
  const lines = text.split('\n').length;
  const shown = block('json', text);
  return lines <= LONGEST ? shown : `<details>\n<summary>${lines} lines</summary>\n\n${shown}\n\n</details>`;
}

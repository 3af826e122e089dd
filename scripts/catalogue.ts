import { fileURLToPath } from 'node:url';
import { readCatalogue } from './catalogue/read-catalogue.ts';
import { renderCatalogue } from './catalogue/render-catalogue.ts';

/** Prints a row for every activity type of the specification. Fails if a type has no executor or lacks a test. */
async function main(root: string): Promise<void> {
  const entries = await readCatalogue(root);
  process.stdout.write(renderCatalogue(entries));
  const open = entries.filter(({ executor, success, failure }) => [executor, success, failure].includes(undefined));
  process.stderr.write(`${entries.length} activity types, ${open.length} with an empty cell\n`);
  process.exitCode = open.length === 0 ? 0 : 1;
}

await main(fileURLToPath(new URL('..', import.meta.url)));

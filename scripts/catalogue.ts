import { fileURLToPath } from 'node:url';
import { readCatalogue } from './catalogue/read-catalogue.ts';
import { renderCatalogue } from './catalogue/render-catalogue.ts';

/** Prints a row for every activity type of the specification. Fails while a type is not served, or not shown to work and to refuse. */
async function main(root: string): Promise<void> {
  const entries = await readCatalogue(root);
  process.stdout.write(renderCatalogue(entries));
  const open = entries.filter(({ executor, success, failure }) => [executor, success, failure].includes(undefined));
  const forgotten = open.filter(({ comesWith }) => comesWith === undefined);
  process.stderr.write(
    `${entries.length} activity types: ${open.length} not served and tested in full, ${forgotten.length} of them with an empty cell\n`,
  );
  process.exitCode = open.length === 0 ? 0 : 1;
}

await main(fileURLToPath(new URL('..', import.meta.url)));

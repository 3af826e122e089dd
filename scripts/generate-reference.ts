import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { staleExamples } from './examples/record-all.ts';
import { clientTable } from './reference/client-table.ts';
import { consoleTable } from './reference/console-table.ts';
import { renderReference } from './reference/render-reference.ts';

const folder = new URL('../docs/reference/', import.meta.url);
const tables = [
  { file: new URL('../packages/client/src/operations.ts', import.meta.url), make: clientTable },
  { file: new URL('../packages/console/src/pages/activities/types-of-subject.ts', import.meta.url), make: consoleTable },
];

/**
 * Writes docs/reference and the tables of the client and the console. With `--check` it writes nothing, and fails if a file is out of date or if the service
 * answers differently from the recorded examples.
 */
async function main(check: boolean): Promise<void> {
  await mkdir(folder, { recursive: true });
  const pages = await renderReference();
  const present = await pagesIn(folder);
  const stray = present.filter((name) => !pages.has(name));
  const stale: string[] = [];
  for (const [name, text] of pages) {
    const old = present.includes(name) ? await readFile(new URL(name, folder), 'utf8') : undefined;
    if (old !== text) stale.push(name);
  }
  const staleTables: { readonly file: URL; readonly text: string }[] = [];
  for (const { file, make } of tables) {
    const text = make();
    if ((await readFile(file, 'utf8').catch(() => '')) !== text) staleTables.push({ file, text });
  }
  const changed = [...stale, ...stray, ...staleTables.map(({ file }) => fileURLToPath(file))];
  if (check) {
    if (changed.length > 0) {
      process.stderr.write(
        `docs/reference is not up to date: ${changed.join(', ')}. Run "npm run docs" and commit the result.\n`,
      );
      process.exitCode = 1;
    }
    const examples = await staleExamples();
    if (examples.length > 0) {
      process.stderr.write(
        `The service answers otherwise than recorded: ${examples.join(', ')}. Run "npm run examples && npm run docs" and commit the result.\n`,
      );
      process.exitCode = 1;
    }
    return;
  }
  await mkdir(new URL('operations/', folder), { recursive: true });
  for (const name of stale) await writeFile(new URL(name, folder), pages.get(name) ?? '');
  for (const name of stray) await rm(new URL(name, folder));
  for (const { file, text } of staleTables) await writeFile(file, text);
  process.stdout.write(
    `${fileURLToPath(folder)}: ${changed.length === 0 ? 'nothing to change' : `${changed.join(', ')} written`}\n`,
  );
}

/** The files of the folder and of the folders in it. */
async function pagesIn(folder: URL): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const root = fileURLToPath(folder);
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

await main(process.argv.includes('--check'));

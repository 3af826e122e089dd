import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the built files of a page are: beside this file in the bundle of the command, else in the package that makes them. */
export function pageFolder(name: 'verify'): string {
  const bundled = fileURLToPath(new URL(`./pages/${name}/`, import.meta.url));
  if (existsSync(bundled)) return bundled;
  return join(dirname(createRequire(import.meta.url).resolve(`@countersign/${name}/package.json`)), 'dist/page');
}

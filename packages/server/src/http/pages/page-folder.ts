import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The packages that make pages, and where each leaves its built files. */
const built = { verify: 'dist/page', console: 'dist', docs: 'dist' };

/** The folder with the built files of a page: next to this file in the bundle of the command, else in the package that builds them. */
export function pageFolder(name: keyof typeof built): string {
  const bundled = fileURLToPath(new URL(`./pages/${name}/`, import.meta.url));
  if (existsSync(bundled)) return bundled;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`@countersign/${name}/package.json`)), built[name]);
  } catch {
    // The package is not installed. A folder that does not exist means that the pages were not built.
    return bundled;
  }
}

import { copyFile, mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Makes dist/page: what the service serves under /verify. One script, with everything that it imports. */
const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

await mkdir(here('../dist/page'), { recursive: true });
await build({
  entryPoints: [here('page.ts')],
  outfile: here('../dist/page/page.js'),
  bundle: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  minify: true,
  legalComments: 'linked',
  conditions: ['@countersign/source'],
});
for (const name of ['index.html', 'page.css']) await copyFile(here(name), here(`../dist/page/${name}`));

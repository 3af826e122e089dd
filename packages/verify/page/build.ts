import { copyFile, mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Makes dist/page: what the service serves under /verify. One script and one style sheet, with everything that they import. */
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
// With the font in it: the page may load nothing but its script and its style.
await build({
  entryPoints: [here('page.css')],
  outfile: here('../dist/page/page.css'),
  bundle: true,
  minify: true,
  legalComments: 'inline',
  target: 'chrome123',
  loader: { '.woff2': 'dataurl' },
});
await copyFile(here('index.html'), here('../dist/page/index.html'));

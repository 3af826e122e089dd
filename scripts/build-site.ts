import { existsSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeSite } from './site/build.ts';

/** Builds the documents as a site. The service serves it under /docs if it exists. */
const folder = join(import.meta.dirname, '../packages/docs/dist');
const startedMs = performance.now();
const { files, bytes, compressed } = await writeSite(folder);
// The bundle of the command brings its own copy.
const bundled = join(import.meta.dirname, '../packages/cli/run');
if (existsSync(bundled)) {
  await rm(join(bundled, 'pages/docs'), { recursive: true, force: true });
  await cp(folder, join(bundled, 'pages/docs'), { recursive: true });
}
const kilobytes = (count: number) => Math.round(count / 1024).toLocaleString('en-US');
process.stdout.write(
  `${files} files, ${kilobytes(bytes)} kB (${kilobytes(compressed)} kB compressed) in ${((performance.now() - startedMs) / 1000).toFixed(1)} s: ${folder}\n`,
);

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { build } from 'vite';

const root = new URL('..', import.meta.url).pathname;
const dist = join(root, 'dist');

/** Files that few people request, such as the prover, further characters of the font, and those of the installed app, whose names have no hash. */
const unasked =
  /^(licenses\.md|font-license\.txt|assets\/inter-(latin-ext|cyrillic|greek)[^/]*|worker\.js|prover\/.*|.*\.(br|map|png|webmanifest))$/;

const files = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(dist, join(entry.parentPath, entry.name)).split(sep).join('/'))
  .filter((name) => !unasked.test(name))
  .sort();

/** All other files have a content hash in their names. */
const version = createHash('sha256')
  .update(JSON.stringify([files, readFileSync(join(dist, 'index.html'), 'utf8')]))
  .digest('hex')
  .slice(0, 16);

/** Builds the service worker. Its name has no hash, because browsers check the same address for updates. */
await build({
  root,
  configFile: false,
  logLevel: 'warn',
  define: { CONSOLE_FILES: JSON.stringify(files), CONSOLE_VERSION: JSON.stringify(version) },
  build: {
    outDir: 'dist',
    emptyOutDir: false,
    copyPublicDir: false,
    target: 'es2022',
    lib: { entry: 'src/offline/worker.ts', name: 'worker', formats: ['iife'], fileName: () => 'worker.js' },
  },
});

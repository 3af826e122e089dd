import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { build } from 'vite';

const root = new URL('..', import.meta.url).pathname;
const dist = join(root, 'dist');

/** Files that no page asks for. */
const unasked = /^(licenses\.md|worker\.js|.*\.(br|map))$/;

const files = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(dist, join(entry.parentPath, entry.name)).split(sep).join('/'))
  .filter((name) => !unasked.test(name))
  .sort();

/** The names of the other files hold a hash of their content; that of the page does not. */
const version = createHash('sha256')
  .update(JSON.stringify([files, readFileSync(join(dist, 'index.html'), 'utf8')]))
  .digest('hex')
  .slice(0, 16);

/** Builds the service worker. It has no hash in its name, because browsers look for a new one under the old address. */
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

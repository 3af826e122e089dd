import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { makeDataDirectory } from './data-directory.ts';

const bundled = new Map<string, Promise<string>>();

/**
 * The path of a TypeScript program as one JavaScript file, for tests that start it in a process of its own. It is made once for
 * each process of the run: a loader that compiles the sources at each start takes seconds each time.
 */
export function bundleProgram(source: URL): Promise<string> {
  const known = bundled.get(source.pathname) ?? bundle(source.pathname);
  bundled.set(source.pathname, known);
  return known;
}

async function bundle(entry: string): Promise<string> {
  const outfile = join(makeDataDirectory('program'), 'program.mjs');
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['@countersign/source'],
    plugins: [ownSourcesOnly],
  });
  return outfile;
}

/** Other packages are loaded from where they are, and our sources still find what they look for beside themselves. */
const ownSourcesOnly: Plugin = {
  name: 'own-sources-only',
  setup({ onResolve, onLoad, resolve }) {
    const resolving = Symbol();
    onResolve({ filter: /^[^./]/ }, async ({ path, pluginData, ...where }) => {
      if (pluginData === resolving || isBuiltin(path)) return undefined;
      const found = await resolve(path, { ...where, pluginData: resolving });
      return found.path.includes('/node_modules/') ? { path: pathToFileURL(found.path).href, external: true } : found;
    });
    onLoad({ filter: /\/packages\/[^/]+\/src\/.*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      return { contents: text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)), loader: 'ts' };
    });
  },
};

import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { makeDataDirectory } from './data-directory.ts';

const bundled = new Map<string, Promise<string>>();

/**
 * Bundles a TypeScript program into one JavaScript file and returns its path, for tests that start it in a separate process. Each worker
 * bundles a program once: a loader that compiles the sources at every start takes seconds.
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

/** Keeps other packages external, and lets our sources find files relative to their own path. */
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

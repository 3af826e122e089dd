import { existsSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import manifest from './package.json' with { type: 'json' };
import { operationEntries } from './src/operation-entries.ts';

/**
 * Builds `run/`: the command and the service in a few files instead of a thousand modules, which halves the startup time.
 * INVARIANT: all files are directly in `run/`, next to `package.json` like `src/`, because some find others by a relative path.
 */
const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const foreign = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });

/** zod brings its messages in 50 languages, half of its size. The service uses the English ones. */
const englishOnly: Plugin = {
  name: 'english-only',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/** What commands of operations need, without the schemas that it is made from. */
const operationData: Plugin = {
  name: 'operation-data',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]cli[\\/]src[\\/]operation-entries\.ts$/ }, () => ({
      // V8 parses JSON faster than a literal.
      contents: `export const operationEntries = JSON.parse(${JSON.stringify(JSON.stringify(operationEntries))});`,
    }));
  },
};

await rm(here('run'), { recursive: true, force: true });
await build({
  entryPoints: {
    main: here('src/main.ts'),
    'worker-entry': here('../server/src/process/worker-entry.ts'),
    'sealable-entry': here('../server/src/sealable-entry.ts'),
    'edge-entry': here('../server/src/process/edge-entry.ts'),
    'pkcs11-thread': here('../server/src/vault/root-key/providers/pkcs11/pkcs11-thread.ts'),
    'ignore-debugger-signal': here('../server/src/process/ignore-debugger-signal.ts'),
  },
  outdir: here('run'),
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  conditions: ['@countersign/source'],
  external: foreign,
  plugins: [englishOnly, operationData],
  legalComments: 'linked',
  // For bundled CommonJS modules.
  banner: { js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);" },
});
await cp(here('../verify/dist/page'), here('run/pages/verify'), { recursive: true });
for (const name of ['console', 'docs']) {
  const built = here(`../${name}/dist`);
  if (existsSync(built)) await cp(built, here(`run/pages/${name}`), { recursive: true });
}

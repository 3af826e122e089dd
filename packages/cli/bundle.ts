import { existsSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import manifest from './package.json' with { type: 'json' };

/**
 * Makes `run/`: the command and the service as a few files instead of a thousand modules, which halves the time that each start takes.
 * INVARIANT: all files lie directly in `run/`, beside `package.json` as `src/` does, because some find others by a relative path.
 */
const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const foreign = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });

await rm(here('run'), { recursive: true, force: true });
await build({
  entryPoints: {
    main: here('src/main.ts'),
    'worker-entry': here('../server/src/process/worker-entry.ts'),
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
  legalComments: 'linked',
  // For the bundled modules that are CommonJS.
  banner: { js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);" },
});
await cp(here('../verify/dist/page'), here('run/pages/verify'), { recursive: true });
for (const name of ['console', 'docs']) {
  const built = here(`../${name}/dist`);
  if (existsSync(built)) await cp(built, here(`run/pages/${name}`), { recursive: true });
}

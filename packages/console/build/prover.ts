import { build } from 'vite';

/** Builds the worker of the prover. It is one file in a folder whose scripts may compile WebAssembly. */
await build({
  root: new URL('..', import.meta.url).pathname,
  configFile: false,
  logLevel: 'warn',
  resolve: { conditions: ['@countersign/source', 'module', 'browser'] },
  build: {
    outDir: 'dist/prover',
    emptyOutDir: true,
    copyPublicDir: false,
    target: 'es2022',
    lib: { entry: 'src/prover/worker.ts', name: 'prover', formats: ['iife'], fileName: () => 'worker.js' },
  },
});

#!/usr/bin/env node
import { existsSync } from 'node:fs';

// SECURITY: SIGUSR1 opens Node's inspector in a process that does not listen for it, and the inspector reads every key in memory.
// INVARIANT: this comes before anything is loaded.
process.on('SIGUSR1', () => {});

const main = new URL('../run/main.js', import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  process.stderr.write('countersign is not built yet: run "npm run build" in its repository first.\n');
  process.exitCode = 1;
}

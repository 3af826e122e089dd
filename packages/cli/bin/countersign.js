#!/usr/bin/env node
import { existsSync } from 'node:fs';

const main = new URL('../dist/main.js', import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  process.stderr.write('countersign is not built yet: run "npm run build" in its repository first.\n');
  process.exitCode = 1;
}

#!/usr/bin/env node
import { existsSync } from 'node:fs';

// SECURITY: without a listener, SIGUSR1 opens Node's inspector, which can read every key in memory.
// INVARIANT: runs before any other module is loaded.
process.on('SIGUSR1', () => {});

// An old Node must be able to parse this file: use no syntax newer than modules.
const needed = [20, 19];
const [major, minor] = process.versions.node.split('.').map(Number);
const main = new URL('../run/main.js', import.meta.url);

if (major < needed[0] || (major === needed[0] && minor < needed[1])) {
  refuse(
    `countersign needs Node.js ${needed.join('.')} or newer; this is ${process.versions.node}. Install a newer one from https://nodejs.org, and run the command again.`,
  );
} else if (existsSync(main)) {
  import(main.href);
} else {
  refuse('countersign is not built yet: run "npm run build" in its repository first.');
}

function refuse(reason) {
  process.stderr.write(`${reason}\n`);
  process.exitCode = 1;
}

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
  buildAndStart();
}

/** In a clone whose packages were installed without their scripts, nothing is built yet. */
async function buildAndStart() {
  const script = new URL('../../../scripts/build.mjs', import.meta.url);
  if (!existsSync(script)) return refuse('countersign is incomplete: its folder "run" is missing. Install it again.');
  const { spawnSync } = await import('node:child_process');
  const { fileURLToPath } = await import('node:url');
  process.stderr.write('countersign is not built yet. Building it once:\n');
  const { status } = spawnSync(process.execPath, [fileURLToPath(script), '--run'], { stdio: ['ignore', 2, 2] });
  if (status !== 0) return refuse('countersign could not be built: run "npm ci" and "npm run build" in its repository.');
  import(main.href);
}

function refuse(reason) {
  process.stderr.write(`${reason}\n`);
  process.exitCode = 1;
}

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const modules = new URL('../hardhat/node_modules/', import.meta.url);
const project = fileURLToPath(new URL('../hardhat/', import.meta.url));

/** The version of Node that Hardhat needs, from the registry, which has none for some machines: undefined there. */
function newerNode() {
  const path = fileURLToPath(new URL(`node-${process.platform}-${process.arch}/bin/node`, modules));
  return existsSync(path) ? path : undefined;
}

export const missingHardhat = newerNode() === undefined && 'the registry has no Node for Hardhat on this machine';

/**
 * Runs a script of the Hardhat project, and returns what it printed last.
 * @param {string} script
 * @param {Record<string, string>} environment
 */
export async function runHardhat(script, environment) {
  const command = fileURLToPath(new URL('hardhat/dist/src/cli.js', modules));
  const { stdout } = await run(newerNode(), [command, 'run', '--no-compile', script], {
    cwd: project,
    timeout: 100_000,
    env: { PATH: process.env.PATH, HOME: project, HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true', ...environment },
  });
  return stdout.trim().split('\n').at(-1);
}

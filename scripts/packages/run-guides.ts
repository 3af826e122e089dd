import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { readGuideBlocks } from '../../test/repository/docs/guide-blocks.ts';
import { ownEnvironment, secondsSince } from './empty-project.ts';

/** Prints each call of the command before it runs, also inside of $(...), and its duration. */
const TELL_CALLS = `npx() {
  local began=$EPOCHREALTIME status=0
  { printf '$ npx'; printf ' %q' "$@"; echo; } >&2
  command npx "$@" || status=$?
  awk -v began="$began" -v ended="$EPOCHREALTIME" 'BEGIN { printf "  (%.1f s)\\n", ended - began }' >&2
  return $status
}`;

/** Starts the service that is installed in `project`, logs in, and runs the commands of guides. True if all of them succeeded. */
export async function runGuides(project: string, guides: readonly string[]): Promise<boolean> {
  // Use a separate home directory, so that existing logins stay unchanged.
  const env = { ...ownEnvironment(), HOME: project, npm_config_cache: join(project, '.npm') };
  const started = performance.now();
  const server = spawn('npx', ['countersign', 'serve', '--json', '--port', '0'], {
    cwd: project,
    env,
    // Use a separate process group: npx may end before the service that it started.
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const { url } = JSON.parse(await firstLine(server));
    console.log(`$ npx countersign serve\n  (listens after ${secondsSince(started)})`);
    const blocks = readGuideBlocks().filter(({ word }) => word === 'run');
    const login = 'npx countersign login --url "$COUNTERSIGN_URL" --credentials countersign-data/credentials.json';
    const steps = guides.flatMap((file) => blocks.filter((block) => block.file === file).map(({ code }) => code));
    const script = ['set -euo pipefail', TELL_CALLS, login, ...steps].join('\n');
    const shell = spawn('bash', ['-c', script], { cwd: project, env: { ...env, COUNTERSIGN_URL: url }, stdio: 'inherit' });
    const [code] = await once(shell, 'exit');
    return code === 0;
  } finally {
    if (server.exitCode === null) {
      process.kill(-(server.pid as number));
      await once(server, 'exit');
    }
  }
}

async function firstLine(server: ChildProcess): Promise<string> {
  const ended = once(server, 'exit').then(() => {
    throw new Error('the service ended before it listened');
  });
  const stdout = server.stdout as NodeJS.ReadableStream;
  const [first] = await Promise.race([once(stdout, 'data'), ended]);
  return String(first).split('\n')[0] ?? '';
}

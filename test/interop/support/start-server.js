import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const command = fileURLToPath(new URL('../../../packages/cli/bin/countersign.js', import.meta.url));

/** The origin of pages that may call the server. */
export const PAGE_ORIGIN = 'https://app.example.com';

/**
 * Starts the real server in a separate process, on a free port and with a new data directory. Build it before.
 * @param {{ flags?: string[], env?: Record<string, string>, origins?: string[] }} choice
 */
export async function startServer({ flags = [], env = {}, origins: pages = [PAGE_ORIGIN] } = {}) {
  const origins = ['--allowed-origins', pages.join(',')];
  const directory = await mkdtemp(join(tmpdir(), 'countersign-interop-'));
  const fixed = ['serve', '--json', '--data-dir', directory, '--port', '0', '--log-level', 'warn', '--shutdown-seconds', '1'];
  const child = spawn(process.execPath, [command, ...fixed, ...origins, ...flags], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const line = await Promise.race([
    once(createInterface(child.stdout), 'line').then(([text]) => text),
    ended.then(() => undefined),
  ]);
  if (line === undefined) throw new Error('the server ended before it was ready; is it built? (npm run build)');
  const { url, compatibleUrl, credentialsFile } = JSON.parse(line);
  const credentials = JSON.parse(await readFile(credentialsFile, 'utf8'));
  return {
    url,
    compatibleUrl,
    credentials,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

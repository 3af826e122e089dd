import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { importApiKey } from '../../support/api-key.ts';
import { Caller } from '../../support/caller.ts';
import { makeDataDirectory } from '../../support/data-directory.ts';

/** The service as its own process, as people start it. */
export interface ConsoleService {
  readonly url: string;
  readonly consoleUrl: string;
  /** The link that the first start prints. */
  readonly setupLink: string;
  /** The first root user, by the API key in the file. */
  readonly root: Caller;
  /** The text of the newest mail in the development mailbox. */
  newestMail(): Promise<string>;
  close(): Promise<void>;
}

const command = new URL('../../../packages/cli/bin/countersign.js', import.meta.url).pathname;

/** Starts the command on an empty data directory (SQLite), or on a database that the environment names. */
export async function startConsoleService(environment: Readonly<Record<string, string>> = {}): Promise<ConsoleService> {
  const dataDir = makeDataDirectory('console');
  const child = spawn(
    process.execPath,
    [command, 'serve', '--port', '0', '--data-dir', dataDir, '--json', '--log-level', 'error'],
    {
      // Webhooks may only lead back to this machine: no test calls another one.
      env: { ...process.env, COUNTERSIGN_WEBHOOK_NETWORKS: '127.0.0.0/8', ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const ready = JSON.parse(await firstLine(child));
  const credentials = JSON.parse(readFileSync(ready.credentialsFile, 'utf8'));
  return {
    url: ready.url,
    consoleUrl: ready.consoleUrl,
    setupLink: readFileSync(ready.setupLinkFile, 'utf8').trim(),
    root: new Caller(ready.url, credentials.organizationId, importApiKey(credentials)),
    async newestMail() {
      const args = [command, 'mail', '--data-dir', dataDir, '--limit', '1', '--json'];
      const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...environment } });
      return stdout;
    },
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout as NonNullable<typeof child.stdout> }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`the service ended with code ${code} before it was ready`)));
  });
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importApiKey } from '../../../support/api-key.ts';
import { Caller } from '../../../support/caller.ts';
import { DATABASE_TIMEOUT_SECONDS, type Installation, MAX_QUEUE_MS } from '../../../support/installation.ts';
import { type CommandOptions, type CommandProcess, startCommand } from './command-process.ts';

/** Where an installation keeps its data. */
export type Place = Pick<Installation, 'engine' | 'directory' | 'raw'> & { readonly databaseUrl?: string };

/** The real server in a process of its own, ready to serve. */
export interface Serving extends CommandProcess {
  readonly url: string;
  /** The root user of the first organization, at this server. */
  readonly root: Caller;
}

/** An installation of the test support as a place. */
export function placeOf({ engine, directory, raw, config: { databaseUrl } }: Installation): Place {
  return { engine, directory, raw, ...(databaseUrl !== undefined && { databaseUrl }) };
}

/** The flags and the environment that point a command to an installation. */
export function wordsFor({ directory }: Place): string[] {
  return ['--data-dir', directory, '--log-level', 'error'];
}

export function environmentFor({ databaseUrl }: Place): Record<string, string> {
  return databaseUrl === undefined ? {} : { COUNTERSIGN_DATABASE_URL: databaseUrl };
}

/** Starts `countersign serve` on a free loopback port without waiting for it. */
export function startServing(place: Place, flags: readonly string[] = [], options: CommandOptions = {}): CommandProcess {
  return startCommand(['serve', '--json', '--host', '127.0.0.1', '--port', '0', ...wordsFor(place), ...flags], {
    ...options,
    environment: { ...environmentFor(place), ...options.environment },
  });
}

/**
 * Starts `countersign serve` and waits until it is ready. It does not shed load and waits long for locks, so that tests also pass on a
 * slow machine; a test of these limits sets its own.
 */
export async function serve(place: Place, flags?: readonly string[], options: CommandOptions = {}): Promise<Serving> {
  // Tests that stop PostgreSQL wait for its timeout.
  const patience = place.engine === 'sqlite' ? { COUNTERSIGN_DATABASE_TIMEOUT_SECONDS: DATABASE_TIMEOUT_SECONDS } : {};
  const environment = { COUNTERSIGN_MAX_QUEUE_MS: MAX_QUEUE_MS, ...patience, ...options.environment };
  const started = startServing(place, flags, { ...options, environment });
  const { url } = JSON.parse(await started.firstLine()) as { url: string };
  return { ...started, url, root: rootOf(place, url) };
}

/** The user that the first run created, with its saved credentials. */
export function rootOf({ directory }: Place, url: string): Caller {
  const saved = JSON.parse(readFileSync(join(directory, 'credentials.json'), 'utf8'));
  return new Caller(url, saved.organizationId, importApiKey(saved));
}

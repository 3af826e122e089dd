import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { consolePort } from '../config/console-port.ts';
import type { Config } from '../config/settings.ts';
import { isLoopbackHost } from '../network/public-address.ts';

/** Where a running server listens, for commands on the same machine: the settings do not tell a port that was picked. */
const noteShape = z.object({ pid: z.int().positive(), port: z.int().min(1).max(65_535) });

const noteFile = ({ dataDir }: Config) => join(dataDir, 'listening.json');

/** The address of this service, without a path. */
export function origin({ host }: Pick<Config, 'host'>, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * The address of the console for people, with a slash at the end. Undefined if it is turned off.
 * WebAuthn section 5.1.3: passkeys belong to a domain, so an address in digits has none. The name of the machine itself is localhost.
 */
export function consoleUrl(config: Config, port: number): string | undefined {
  const { publicUrl, host } = config;
  if (config.console === 'off') return undefined;
  if (publicUrl !== undefined) return `${publicUrl}/console/`;
  const isOwn = isLoopbackHost(host) || ['0.0.0.0', '::'].includes(host);
  return `${origin(isOwn ? { host: 'localhost' } : config, consolePort(config) ?? port)}/console/`;
}

/** Writes the port file. Returns a function that removes it. A server that cannot write the file still serves. */
export function noteListening(config: Config, port: number): () => void {
  const file = noteFile(config);
  try {
    writeFileSync(file, JSON.stringify({ pid: process.pid, port }), { mode: 0o600 });
  } catch {
    return () => {};
  }
  return () => {
    // Another server on the same data may have left its own note since.
    if (readNote(config)?.pid === process.pid) rmSync(file, { force: true });
  };
}

/** The port of the server that runs on this data; undefined if none runs, or it has no port file. */
export function listeningPort(config: Config): number | undefined {
  const note = readNote(config);
  return note !== undefined && isRunning(note.pid) ? note.port : undefined;
}

function readNote(config: Config): z.output<typeof noteShape> | undefined {
  try {
    return noteShape.parse(JSON.parse(readFileSync(noteFile(config), 'utf8')));
  } catch {
    // Absent, or half written by a server that is starting.
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

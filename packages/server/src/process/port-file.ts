import { rmSync, writeFileSync } from 'node:fs';
import { basePaths } from '@countersign/contract';
import { consolePort } from '../config/console-port.ts';
import { type Listening, PortFileError, portFile, readPortFile } from '../config/port-file.ts';
import type { Config } from '../config/settings.ts';
import { isLoopbackHost } from '../network/public-address.ts';

/** The address of this service, without a path. */
export function origin({ host, tlsCert }: Pick<Config, 'host' | 'tlsCert'>, port: number): string {
  return `${tlsCert === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
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
  return `${origin(isOwn ? { ...config, host: 'localhost' } : config, consolePort(config) ?? port)}/console/`;
}

/** The address for commands on this machine. With TLS it is the public one, because a certificate is for a name. */
function localUrl(config: Config, port: number): string {
  const { host, compatRoot, publicUrl, tlsCert } = config;
  if (tlsCert !== undefined && publicUrl !== undefined) return `${publicUrl}${basePaths(compatRoot).spec}`;
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `${origin({ ...config, host: reachable }, port)}${basePaths(compatRoot).spec}`;
}

/**
 * Writes the port file, with the id of the process that has the port. Returns a function that removes it. A server that cannot write the file
 * still serves.
 */
export function noteListening(config: Config, port: number, pid = process.pid): () => void {
  const file = portFile(config.dataDir);
  try {
    // SECURITY: D510: a new file, not one that another user prepared.
    rmSync(file, { force: true });
    writeFileSync(file, JSON.stringify({ pid, port, url: localUrl(config, port) }), { mode: 0o600, flag: 'wx' });
  } catch {
    return () => {};
  }
  return () => {
    // Another server on the same data may have written its own since.
    if (listening(config)?.pid === pid) rmSync(file, { force: true });
  };
}

/** The port of the server that runs on this data; undefined if none runs, or it has no port file. */
export function listeningPort(config: Config): number | undefined {
  return listening(config)?.port;
}

function listening({ dataDir }: Config): Listening | undefined {
  try {
    return readPortFile(dataDir);
  } catch (error) {
    if (error instanceof PortFileError) return undefined;
    throw error;
  }
}

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { AgentOptions } from './agent.ts';
import { toolNames } from './tools/tools.ts';

/** A setting that is missing or wrong. SECURITY: the message never contains the content of a file with a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export interface HttpConfig {
  readonly host: string;
  readonly port: number;
  readonly token: string;
  /** Names in the Host header that are served, in addition to those of this machine. */
  readonly allowedHosts: readonly string[];
  /** Origins of browsers that are served. */
  readonly allowedOrigins: readonly string[];
}

export interface Config {
  readonly agent: AgentOptions;
  readonly tools: readonly string[] | undefined;
  /** Absent for stdio. */
  readonly http: HttpConfig | undefined;
}

export const usage = `countersign-mcp: payments by agents, within the policies of a Countersign service

  --credentials <file>      API key of the agent's user, as "countersign generate-api-key --out" writes it (COUNTERSIGN_CREDENTIALS)
                            or COUNTERSIGN_API_PUBLIC_KEY and COUNTERSIGN_API_PRIVATE_KEY (or …_FILE)
  --url <url>               address of the service (COUNTERSIGN_URL)
  --organization-id <id>    organization (COUNTERSIGN_ORGANIZATION_ID)
  --state-dir <dir>         folder for the journal of proposals (COUNTERSIGN_MCP_STATE_DIR)
  --tools <names>           offer only these tools, separated by commas
  --allow-http              accept a service without TLS on another machine
  --http-port <port>        serve streamable HTTP instead of stdio
  --host <address>          address to listen on, 127.0.0.1 by default
  --token-file <file>       bearer token that clients must send (or COUNTERSIGN_MCP_TOKEN)
  --allowed-host <names>    further names in the Host header, separated by commas
  --allowed-origin <urls>   origins of browsers, separated by commas; none by default
  --version, --help

Tools: ${toolNames.join(', ')}
`;

const flagTypes = {
  credentials: { type: 'string' },
  url: { type: 'string' },
  'organization-id': { type: 'string' },
  'state-dir': { type: 'string' },
  tools: { type: 'string' },
  'allow-http': { type: 'boolean' },
  'http-port': { type: 'string' },
  host: { type: 'string' },
  'token-file': { type: 'string' },
  'allowed-host': { type: 'string' },
  'allowed-origin': { type: 'string' },
  version: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

type Environment = Readonly<Record<string, string | undefined>>;
export type Flags = ReturnType<typeof readFlags>;

/** Flags of the command. Throws ConfigError. */
export function readFlags(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: flagTypes, strict: true }).values;
  } catch (error) {
    throw new ConfigError((error as Error).message);
  }
}

/** The configuration from flags (first), the environment and the file with the key. Throws ConfigError. */
export function readConfig(flags: Flags, environment: Environment): Config {
  const file = flags.credentials ?? environment.COUNTERSIGN_CREDENTIALS;
  const saved = file === undefined ? {} : readSaved(file);
  const baseUrl = required('address of the service', '--url', flags.url ?? environment.COUNTERSIGN_URL ?? saved.baseUrl);
  const organizationId = required(
    'organization',
    '--organization-id',
    flags['organization-id'] ?? environment.COUNTERSIGN_ORGANIZATION_ID ?? saved.organizationId,
  );
  requireUrl(baseUrl, flags['allow-http'] === true);
  const key = keyFrom(environment, saved);
  return {
    agent: { baseUrl, organizationId, ...key, stateDir: stateDir(flags, environment, organizationId, key.apiPublicKey) },
    tools: chosenTools(flags.tools),
    http: flags['http-port'] === undefined ? undefined : readHttp(flags, environment),
  };
}

interface Saved {
  readonly baseUrl?: string;
  readonly organizationId?: string;
  readonly apiPublicKey?: string;
  readonly apiPrivateKey?: string;
}

function readSaved(file: string): Saved {
  try {
    const saved: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof saved === 'object' && saved !== null) return saved;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== undefined)
      throw new ConfigError(`The credentials file cannot be read: ${file}`);
  }
  // SECURITY: the message of the parser may quote the file.
  throw new ConfigError(`The credentials file is not JSON: ${file}`);
}

function required(what: string, flag: string, value: string | undefined): string {
  if (value !== undefined && value !== '') return value;
  throw new ConfigError(`The ${what} is missing. Pass it with ${flag}.`);
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);

function requireUrl(text: string, allowsHttp: boolean): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new ConfigError('The address of the service is not a URL.');
  if (url.protocol === 'http:' && !allowsHttp && !LOOPBACK.has(url.hostname))
    throw new ConfigError(
      'The service has no TLS, so others could change what the agent is shown. Use https, or pass --allow-http.',
    );
}

function keyFrom(environment: Environment, saved: Saved): { apiPublicKey: string; apiPrivateKey: string } {
  const publicKey = environment.COUNTERSIGN_API_PUBLIC_KEY;
  const privateKey = environment.COUNTERSIGN_API_PRIVATE_KEY ?? secretFile(environment.COUNTERSIGN_API_PRIVATE_KEY_FILE);
  if ((publicKey === undefined) !== (privateKey === undefined))
    throw new ConfigError('Only one half of the API key is in the environment.');
  const apiPublicKey = publicKey ?? saved.apiPublicKey;
  const apiPrivateKey = privateKey ?? saved.apiPrivateKey;
  if (typeof apiPublicKey === 'string' && typeof apiPrivateKey === 'string') return { apiPublicKey, apiPrivateKey };
  throw new ConfigError('The API key is missing. Pass the file with --credentials.');
}

function secretFile(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new ConfigError(`The file cannot be read: ${file}`);
  }
}

function stateDir(flags: Flags, environment: Environment, organizationId: string, apiPublicKey: string): string {
  const given = flags['state-dir'] ?? environment.COUNTERSIGN_MCP_STATE_DIR;
  if (given !== undefined) return given;
  const base = environment.XDG_STATE_HOME || join(environment.HOME || homedir(), '.local/state');
  const name = createHash('sha256').update(`${organizationId}\n${apiPublicKey}`).digest('hex').slice(0, 16);
  return join(base, 'countersign-mcp', name);
}

function chosenTools(text: string | undefined): readonly string[] | undefined {
  const names = list(text);
  const unknown = names.find((name) => !toolNames.includes(name));
  if (unknown !== undefined) throw new ConfigError(`There is no tool ${unknown}. There are ${toolNames.join(', ')}.`);
  return text === undefined ? undefined : names;
}

const list = (text: string | undefined) =>
  (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

const MIN_TOKEN_LENGTH = 32;

function readHttp(flags: Flags, environment: Environment): HttpConfig {
  const port = Number(flags['http-port']);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new ConfigError('--http-port is not a port.');
  const token = secretFile(flags['token-file']) ?? environment.COUNTERSIGN_MCP_TOKEN ?? '';
  // SECURITY: D702: without a token, every program and web page of this machine could pay.
  if (!/^[\x21-\x7e]+$/.test(token) || token.length < MIN_TOKEN_LENGTH)
    throw new ConfigError(`HTTP needs a bearer token of at least ${MIN_TOKEN_LENGTH} characters. Pass it with --token-file.`);
  const host = flags.host ?? '127.0.0.1';
  const allowedHosts = list(flags['allowed-host']).map((name) => name.toLowerCase());
  if (!LOOPBACK.has(host) && allowedHosts.length === 0)
    throw new ConfigError(
      'Name the hosts under which clients reach this server with --allowed-host, and put a proxy with TLS before it.',
    );
  return { host, port, token, allowedHosts, allowedOrigins: list(flags['allowed-origin']) };
}

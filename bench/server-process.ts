import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Leftovers } from './leftovers.ts';
import type { LoadTarget } from './load/messages.ts';
import { Stamper } from './stamper.ts';

/** How long a server may take to start. */
const START_MS = 60_000;

const COMMAND = fileURLToPath(new URL('../packages/cli/bin/countersign.js', import.meta.url));

/** One client sends as much as the server can serve. In the environment, because an earlier build does not know these settings. */
const UNLIMITED = Object.fromEntries(
  ['ADDRESS', 'CREDENTIAL', 'ORGANIZATION'].map((caller) => [`COUNTERSIGN_REQUESTS_PER_${caller}`, '0']),
);

/** What to start: this build as it is, unless said otherwise. */
export interface Build {
  /** The path of another build's command. */
  readonly command?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A running service that belongs to the benchmark. */
export interface ServerProcess {
  readonly pid: number;
  readonly process: ChildProcess;
  readonly target: LoadTarget;
  readonly dataDir: string;
}

/** Starts `countersign serve` with a new data directory on a free loopback port, and creates the signing key. */
export async function startServerProcess(
  leftovers: Leftovers,
  workers: number,
  databaseUrl?: string,
  settings: readonly string[] = [],
  dataDir = leftovers.directory(),
  build: Build = {},
): Promise<ServerProcess> {
  const flags = [...settings, '--workers', `${workers}`];
  const { child, url, credentialsFile } = await startCommand(leftovers, dataDir, databaseUrl, flags, START_MS, build);
  const { hostname: host, port } = new URL(url);
  const credentials = JSON.parse(readFileSync(credentialsFile, 'utf8')) as Credentials;
  const key = await createSigningKey(url, credentials);
  return { pid: child.pid as number, process: child, target: { ...credentials, ...key, host, port: Number(port) }, dataDir };
}

/** A server that is ready, and what it printed. */
export interface StartedCommand {
  readonly child: ChildProcess;
  readonly url: string;
  readonly credentialsFile: string;
}

/** Starts `countersign serve` on a data directory, and waits until it is ready. */
export async function startCommand(
  leftovers: Leftovers,
  dataDir: string,
  databaseUrl: string | undefined,
  settings: readonly string[],
  patienceMs: number,
  build: Build = {},
): Promise<StartedCommand> {
  const flags = ['--json', '--host', '127.0.0.1', '--port', '0', '--data-dir', dataDir, ...settings];
  const child = leftovers.own(
    spawn(process.execPath, [build.command ?? COMMAND, 'serve', ...flags], {
      env: { ...environment(databaseUrl), ...build.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  leftovers.listen(child);
  return { child, ...(JSON.parse(await firstLine(child, patienceMs)) as Omit<StartedCommand, 'child'>) };
}

interface Credentials {
  readonly organizationId: string;
  readonly apiPublicKey: string;
  readonly apiPrivateKey: string;
}

/** The caller's settings must not reach the measured server. */
function environment(databaseUrl: string | undefined): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('COUNTERSIGN_'));
  return {
    ...Object.fromEntries(own),
    ...UNLIMITED,
    ...(databaseUrl !== undefined && { COUNTERSIGN_DATABASE_URL: databaseUrl }),
  };
}

/** The line that says where the server listens. Rejects if it exits before. */
function firstLine(child: ChildProcess, patienceMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`the server did not start (${why})`));
    const timer = setTimeout(() => fail('no output'), patienceMs);
    child.once('exit', (code, signal) => fail(signal ?? `code ${code}`));
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).once('line', (line) => {
      clearTimeout(timer);
      resolve(line);
    });
  });
}

async function createSigningKey(
  url: string,
  credentials: Credentials,
): Promise<Pick<LoadTarget, 'privateKeyId' | 'signingPublicKeyHex'>> {
  const key = {
    // A second server of one installation makes its own.
    privateKeyName: `Benchmark ${randomUUID()}`,
    curve: 'CURVE_SECP256K1',
    privateKeyTags: [],
    addressFormats: ['ADDRESS_FORMAT_COMPRESSED'],
  };
  const body = JSON.stringify({
    type: 'ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2',
    timestampMs: String(Date.now()),
    organizationId: credentials.organizationId,
    parameters: { privateKeys: [key] },
  });
  const headers = { 'Content-Type': 'application/json', 'X-Stamp': new Stamper(credentials).stamp(body) };
  const response = await fetch(`${url}/public/v1/submit/create_private_keys`, {
    method: 'POST',
    headers,
    body,
    signal: AbortSignal.timeout(START_MS),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`the signing key could not be created: ${text}`);
  const [made] = JSON.parse(text).activity.result.activity.result.createPrivateKeysResult.privateKeys;
  return { privateKeyId: made.privateKeyId, signingPublicKeyHex: made.addresses[0].address };
}

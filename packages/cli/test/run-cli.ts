import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateApiKey } from '@countersign/client';
import { p256 } from '@noble/curves/nist.js';
import { type Context, run } from 'countersign';
import { makeDataDirectory } from '../../../test/support/data-directory.ts';

export const organizationId = '01981b2c-7d3e-7f40-8a51-6b2c3d4e5f60';
export const apiKey = generateApiKey();

/** Environment with complete credentials. */
export const callerEnvironment = (url: string) => ({
  COUNTERSIGN_URL: url,
  COUNTERSIGN_ORGANIZATION_ID: organizationId,
  COUNTERSIGN_API_PUBLIC_KEY: apiKey.apiPublicKey,
  COUNTERSIGN_API_PRIVATE_KEY: apiKey.apiPrivateKey,
  // Hide the developer's own installation.
  COUNTERSIGN_DATA_DIR: join(tmpdir(), 'countersign-no-such-directory'),
});

export interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly terminal?: boolean;
  /** Answers of the user at the terminal, in order. */
  readonly answers?: readonly string[];
  readonly untilStopped?: () => Promise<void>;
  /** Receives what the command does on SIGHUP. */
  readonly onHangup?: (listener: () => void) => void;
  /** Receives stdout as it is written. */
  readonly onOutput?: (text: string) => void;
  /** Receives stderr as it is written. */
  readonly onError?: (text: string) => void;
}

/** Runs the command line in this process and collects its output. */
export async function runCli(argv: readonly string[], options: RunOptions = {}) {
  const {
    environment = {},
    stdin = '',
    terminal = false,
    untilStopped = async () => {},
    onHangup = () => {},
    onOutput = () => {},
    onError = () => {},
  } = options;
  const answers = [...(options.answers ?? [])];
  const written = { stdout: '', stderr: '' };
  const output = (name: 'stdout' | 'stderr') => ({
    write(text: string) {
      written[name] += text;
      (name === 'stdout' ? onOutput : onError)(text);
    },
    isTerminal: terminal,
    columns: 100,
  });
  const context: Context = {
    environment,
    stdout: output('stdout'),
    stderr: output('stderr'),
    readStdin: async () => stdin,
    async ask(question) {
      if (terminal) written.stderr += question;
      return terminal ? answers.shift() : undefined;
    },
    onLine: () => () => {},
    untilStopped,
    onHangup,
  };
  const code = await run(argv, context);
  return { code, ...written };
}

/** Whether a stamp header is a stamp of this body with the key of these tests. */
export function isOwnStamp(header: unknown, body: string): boolean {
  const { publicKey, scheme, signature } = JSON.parse(Buffer.from(String(header), 'base64url').toString('utf8'));
  if (publicKey !== apiKey.apiPublicKey || scheme !== 'SIGNATURE_SCHEME_TK_API_P256') return false;
  const options = { format: 'der', lowS: false } as const;
  return p256.verify(Buffer.from(signature, 'hex'), Buffer.from(body), Buffer.from(publicKey, 'hex'), options);
}

/** A private folder that is removed after the test. */
export async function temporaryFolder() {
  const path = makeDataDirectory('cli');
  return {
    path,
    async write(name: string, content: string) {
      const file = join(path, name);
      await writeFile(file, content, { mode: 0o600 });
      return file;
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

/** A service in this process, on a free port, whose data folder `close` removes. */
export async function serveInFolder() {
  const folder = await temporaryFolder();
  let stop = () => {};
  const untilStopped = () =>
    new Promise<void>((end) => {
      stop = end;
    });
  let ended: ReturnType<typeof runCli> | undefined;
  const ready = new Promise<string>((resolve) => {
    const argv = ['serve', '--port', '0', '--log-level', 'silent', '--data-dir', folder.path, '--json'];
    ended = runCli(argv, { untilStopped, onOutput: resolve });
  });
  const { url } = JSON.parse(await ready) as { url: string };
  return {
    folder,
    url,
    connection: ['--data-dir', folder.path, '--url', url],
    async close() {
      stop();
      await ended;
      await folder[Symbol.asyncDispose]();
    },
  };
}

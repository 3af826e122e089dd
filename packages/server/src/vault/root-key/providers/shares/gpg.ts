import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../../../config/config-error.ts';

/** The first bytes of a text that gpg encrypted. */
export const PGP_MAGIC = Buffer.from('-----BEGIN PGP MESSAGE-----');

const TIMEOUT_MS = 30_000;
const INSTALL = 'Install GnuPG, on Debian with apt install gnupg, or use age.';
/** No options, keys or agent of the user who runs the service. */
const SEPARATE = ['--batch', '--no-tty', '--no-options', '--no-autostart'];

/** A PGP key that shares are encrypted to. */
export interface PgpRecipient {
  readonly fingerprint: string;
  /** The encrypted text, armored. */
  encrypt(text: string): Promise<Uint8Array>;
}

/**
 * Reads the file with the public key of an operator. Throws ConfigError unless it has one key that can be encrypted to now.
 * SECURITY: D654: the key is read once, so what was checked is what is used. The text goes through a pipe.
 */
export async function pgpRecipient(path: string): Promise<PgpRecipient> {
  const key = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    throw new ConfigError(
      `${path} is neither an age recipient nor a file with a PGP key: ${cause.code}.`,
      "A recipient starts with age1 ('age-keygen' creates one), or is the path of a public key from 'gpg --armor --export'.",
      { cause },
    );
  });
  const fingerprint = await inFolder(key, async (folder, file) =>
    usableKey(path, await gpg(folder, ['--with-colons', '--show-keys', file])),
  );
  return {
    fingerprint,
    encrypt: (text) =>
      inFolder(key, (folder, file) =>
        gpg(folder, ['--trust-model', 'always', '--armor', '--output', '-', '--recipient-file', file, '--encrypt'], text),
      ),
  };
}

/** Decrypts a file with the keys of the user, who may be asked for a passphrase, a PIN or a touch. */
export async function gpgDecrypt(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('gpg', ['--quiet', '--decrypt', '--', path], { stdio: ['inherit', 'pipe', 'inherit'] });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', (cause) =>
      reject(new ConfigError(`${path} is encrypted with PGP, and gpg cannot be run.`, INSTALL, { cause })),
    );
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(chunks).toString('utf8'));
      else
        reject(
          new ConfigError(`gpg does not decrypt ${path}.`, "Check with 'gpg --decrypt' as the user who has the private key."),
        );
    });
  });
}

/** The fingerprint of the only key in the list of `--with-colons`, see DETAILS of GnuPG. */
function usableKey(path: string, listing: Buffer): string {
  const rows = listing
    .toString('utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const keys = rows.filter(([kind]) => kind === 'pub');
  const [, , , , , , , , , fingerprint] = rows.find(([kind]) => kind === 'fpr') ?? [];
  const [, validity = '', , , , , , , , , , capabilities = ''] = keys[0] ?? [];
  // Capital letters are what the key as a whole can be used for now.
  const isUsable = !/[idren]/.test(validity) && capabilities.includes('E') && !capabilities.includes('D');
  if (keys.length === 1 && isUsable && fingerprint !== undefined) return fingerprint;
  throw new ConfigError(
    `${path} does not have one PGP key that can be encrypted to: ${keys.length} keys${keys.length === 1 ? ', expired, revoked or without encryption' : ''}.`,
    "Export the public key of one operator with 'gpg --armor --export'.",
  );
}

/** Runs the action with a folder that has the key and that gpg can use as its home. */
async function inFolder<T>(key: Buffer, action: (folder: string, file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-gpg-'));
  try {
    const file = join(folder, 'key');
    await writeFile(file, key);
    return await action(folder, file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function gpg(folder: string, args: readonly string[], input = ''): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      'gpg',
      ['--homedir', folder, ...SEPARATE, ...args],
      { encoding: 'buffer', timeout: TIMEOUT_MS },
      (cause, output, errors) => {
        if (cause === null) resolve(output);
        else if (cause.code === 'ENOENT')
          reject(new ConfigError('gpg, which PGP keys need, is not installed.', INSTALL, { cause }));
        else reject(new ConfigError(`gpg failed: ${lastLine(errors)}`, 'Check the PGP keys of --share-recipients.'));
      },
    );
    // It may end before it has read everything. Its exit code tells why.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

const lastLine = (errors: Buffer) => errors.toString('utf8').trim().split('\n').at(-1) ?? '';

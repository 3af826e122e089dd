import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, createClient, type Stamper } from '@countersign/client';
import { readPortFile, readSecretFile } from '@countersign/server/command';
import type { Command } from 'commander';
import type { Context } from './context.ts';
import { CliError, UnavailableError, UsageError } from './errors.ts';
import { httpFetch } from './http-fetch.ts';
import { nodeStamper } from './node-stamper.ts';
import { DEFAULT_PROFILE, profileFile } from './profiles.ts';

/** The credentials that `countersign init` saves and the client commands read. */
interface SavedCredentials {
  readonly organizationId?: string;
  readonly apiPublicKey?: string;
  readonly apiPrivateKey?: string;
  readonly baseUrl?: string;
}

export interface ConnectionFlags {
  readonly url?: string;
  readonly organizationId?: string;
  readonly credentials?: string;
  readonly dataDir?: string;
  readonly profile?: string;
}

/** Adds the flags for the service's address and the caller's identity. */
export function addConnectionFlags(command: Command): Command {
  return command
    .optionsGroup('Connection:')
    .option('--url <url>', 'the address of the service; by default the one that runs on the data directory (COUNTERSIGN_URL)')
    .option('--organization-id <id>', 'the organization to act in (COUNTERSIGN_ORGANIZATION_ID)')
    .option('--credentials <file>', 'saved credentials; <data-dir>/credentials.json by default (COUNTERSIGN_CREDENTIALS)')
    .option('--data-dir <dir>', 'data directory; countersign-data by default (COUNTERSIGN_DATA_DIR)')
    .option('--profile <name>', 'profile saved by "countersign login" (COUNTERSIGN_PROFILE)');
}

/** The service's address and the caller's identity. */
export interface Connection {
  readonly baseUrl: string;
  readonly organizationId: string;
  readonly stamper: Stamper;
}

/** A client for the connection from flags, environment and credentials file. */
export function connect(context: Context, flags: ConnectionFlags): Client {
  return createClient({ ...readConnection(context, flags), fetch: httpFetch as typeof fetch });
}

/** A connection whose key is ready to stamp. */
export function readConnection(context: Context, flags: ConnectionFlags): Connection {
  const { baseUrl, organizationId, apiPublicKey, apiPrivateKey } = readCredentials(context, flags);
  return { baseUrl, organizationId, stamper: stamperFor(apiPublicKey, apiPrivateKey) };
}

/**
 * The connection from flags (first), the environment and the credentials file. The API key comes from COUNTERSIGN_API_PUBLIC_KEY
 * and COUNTERSIGN_API_PRIVATE_KEY (or its _FILE form), or else from the credentials file. Both halves come from the same source.
 */
export function readCredentials(context: Context, flags: ConnectionFlags): Required<SavedCredentials> {
  const source = credentialsFile(context, flags);
  const saved = readSaved(source);
  const { apiPublicKey, apiPrivateKey } = keyFromEnvironment(context.environment) ?? saved;
  if (apiPublicKey === undefined || apiPrivateKey === undefined) throw noCredentials(source.file);
  return { ...placeIn(context, flags, source, saved), apiPublicKey, apiPrivateKey };
}

/** The service's address and the organization, without a key. */
export function placeOf(context: Context, flags: ConnectionFlags): Place {
  const source = credentialsFile(context, flags);
  return placeIn(context, flags, source, readSaved(source));
}

type Place = Required<Pick<SavedCredentials, 'baseUrl' | 'organizationId'>>;

function placeIn({ environment }: Context, flags: ConnectionFlags, source: CredentialsSource, saved: SavedCredentials): Place {
  const baseUrl = flags.url ?? environment.COUNTERSIGN_URL ?? runningUrl(source) ?? saved.baseUrl;
  const organizationId = flags.organizationId ?? environment.COUNTERSIGN_ORGANIZATION_ID ?? saved.organizationId;
  if (organizationId === undefined) throw missing('organization', '--organization-id', 'COUNTERSIGN_ORGANIZATION_ID');
  if (baseUrl === undefined) throw missing('address of the service', '--url', 'COUNTERSIGN_URL');
  if (!URL.canParse(baseUrl)) {
    throw new UsageError(
      `The address of the service is not a URL: ${baseUrl}`,
      'Pass a full URL, for example http://127.0.0.1:8787.',
    );
  }
  // Saved by a first run that picked a free port.
  if (new URL(baseUrl).port === '0') throw notRunning(source);
  return { baseUrl, organizationId };
}

/** The address of the server that runs on the data directory. It may differ from the saved one, such as after a start with another port. */
function runningUrl({ dataDir }: CredentialsSource): string | undefined {
  return dataDir === undefined ? undefined : readPortFile(dataDir)?.url;
}

/** Where saved credentials are read. */
interface CredentialsSource {
  readonly file: string;
  /** Whether the user named the file or the profile. */
  readonly named: boolean;
  /** The data directory, if the file is the one that the service saved there. */
  readonly dataDir?: string;
}

/** The file to read: the given file or profile, else the file in the data directory or the default profile. */
function credentialsFile(context: Context, flags: ConnectionFlags): CredentialsSource {
  const { environment } = context;
  const file = flags.credentials ?? (flags.profile === undefined ? environment.COUNTERSIGN_CREDENTIALS : undefined);
  if (file !== undefined) return { file, named: true };
  const profile = flags.profile ?? environment.COUNTERSIGN_PROFILE;
  if (profile !== undefined) return { file: profileFile(context, profile), named: true };
  const chosen = flags.dataDir ?? environment.COUNTERSIGN_DATA_DIR;
  const dataDir = chosen ?? 'countersign-data';
  const local = join(dataDir, 'credentials.json');
  const saved = profileFile(context, DEFAULT_PROFILE);
  if (chosen === undefined && !existsSync(local) && existsSync(saved)) return { file: saved, named: false };
  return { file: local, named: false, dataDir };
}

function readSaved({ file, named }: CredentialsSource): SavedCredentials {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    // The default file is optional: the environment may contain everything.
    if (!named && (cause as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new CliError(`The credentials file cannot be read: ${file}`, 'Check the path and its permissions.', { cause });
  }
  try {
    const saved: unknown = JSON.parse(text);
    if (typeof saved === 'object' && saved !== null) return saved;
  } catch {
    // SECURITY: the parser's message may quote the file, which contains a private key. Do not include it below.
  }
  throw new CliError(
    `The credentials file is not JSON: ${file}`,
    'Restore it from a backup, or create an API key as another user.',
  );
}

function keyFromEnvironment(environment: Context['environment']): SavedCredentials | undefined {
  const apiPublicKey = environment.COUNTERSIGN_API_PUBLIC_KEY;
  const apiPrivateKey =
    environment.COUNTERSIGN_API_PRIVATE_KEY ?? privateKeyFromFile(environment.COUNTERSIGN_API_PRIVATE_KEY_FILE);
  if (apiPublicKey === undefined && apiPrivateKey === undefined) return undefined;
  if (apiPublicKey !== undefined && apiPrivateKey !== undefined) return { apiPublicKey, apiPrivateKey };
  throw new CliError(
    'Only one half of the API key is in the environment.',
    'Set COUNTERSIGN_API_PUBLIC_KEY and COUNTERSIGN_API_PRIVATE_KEY (or COUNTERSIGN_API_PRIVATE_KEY_FILE) together, or neither.',
  );
}

function privateKeyFromFile(path: string | undefined): string | undefined {
  return path === undefined ? undefined : readSecretFile('COUNTERSIGN_API_PRIVATE_KEY_FILE', path).trim();
}

function stamperFor(apiPublicKey: string, apiPrivateKey: string): Stamper {
  return (
    nodeStamper(apiPublicKey, apiPrivateKey) ?? {
      async stamp(body) {
        const { ApiKeyStamper } = await import('./portable-stamper.ts');
        try {
          return await new ApiKeyStamper({ apiPublicKey, apiPrivateKey }).stamp(body);
        } catch (cause) {
          throw new CliError((cause as Error).message, 'Check the API key in the environment or the credentials file.', {
            cause,
          });
        }
      },
    }
  );
}

function noCredentials(file: string): CliError {
  return new CliError(
    `No credentials: ${file} does not exist or contains no API key.`,
    'Run "countersign init" or "countersign serve" first, pass the file with --credentials or a --profile, or set COUNTERSIGN_API_PUBLIC_KEY and COUNTERSIGN_API_PRIVATE_KEY.',
  );
}

function notRunning({ file, dataDir }: CredentialsSource): CliError {
  return new UnavailableError(
    dataDir === undefined ? `${file} contains no port of the service.` : `No service is running on ${dataDir}.`,
    'Start it with "countersign serve", or pass its address with --url or COUNTERSIGN_URL.',
  );
}

function missing(what: string, flag: string, variable: string): CliError {
  return new UsageError(`The ${what} is missing.`, `Pass it with ${flag} or ${variable}.`);
}

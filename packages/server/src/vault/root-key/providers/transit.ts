import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ConfigError } from '../../../config/config-error.ts';
import { readSecretFile } from '../../../config/secret-file.ts';
import { isLoopbackHost } from '../../../network/public-address.ts';
import { RootKeyUnavailable, VaultError } from '../../errors.ts';
import { encodeFields } from '../../integrity/keyed-hash.ts';
import { Secret } from '../../keys/secret.ts';
import type { RootKey, RootKeyProvider } from '../root-key.ts';
import type { ProviderEntry } from './provider.ts';
import { type JsonResponse, requestJson } from './request-json.ts';

/** A key of a transit engine: Vault or OpenBao. */
export interface TransitKey {
  readonly origin: string;
  /** The path of the engine, for instance `transit`. */
  readonly mount: string;
  readonly name: string;
  readonly tokenFile: string;
  /** PEM certificates that sign the server's, if it is not a public authority. */
  readonly caFile?: string;
}

interface TransitSettings {
  readonly transitUrl?: string;
  readonly transitTokenFile?: string;
  readonly transitCaFile?: string;
}

const encrypted = z.object({ data: z.object({ ciphertext: z.string().regex(/^[!-~]{1,4096}$/) }) });
const decrypted = z.object({ data: z.object({ plaintext: z.base64() }) });
const described = z.object({
  data: z.object({
    type: z.string(),
    exportable: z.boolean(),
    allow_plaintext_backup: z.boolean(),
    derived: z.boolean().optional(),
  }),
});

/** Reads the settings. Throws ConfigError unless they name a key and a file with a token. */
export function readTransitKey({ transitUrl = '', transitTokenFile, transitCaFile }: TransitSettings): TransitKey {
  const parts = /^(https?:\/\/[^/?#@]+)\/v1\/([^?#]+)\/keys\/([\w.-]+)$/.exec(transitUrl);
  const [, origin = '', mount = '', name = ''] = parts ?? [];
  if (parts === null)
    throw new ConfigError(
      'The address of the transit key is not valid.',
      'Give the address of the key, as in https://vault.example.com:8200/v1/transit/keys/countersign.',
    );
  if (origin.startsWith('http:') && !isLoopbackHost(new URL(origin).hostname))
    throw new ConfigError(
      'The transit engine is contacted over plain HTTP.',
      'Use https: the requests contain keys and a token.',
    );
  if (transitTokenFile === undefined)
    throw new ConfigError(
      'No token for the transit engine is configured.',
      'Name a file that contains it with --transit-token-file.',
    );
  return { origin, mount, name, tokenFile: transitTokenFile, ...(transitCaFile !== undefined && { caFile: transitCaFile }) };
}

/** A key in the transit engine of Vault or OpenBao, which never leaves it. */
export function transitRootKey(key: TransitKey): RootKeyProvider {
  const { origin, mount, name } = key;
  const source = `transit key ${origin}/v1/${mount}/keys/${name}`;
  const id = createHash('sha256')
    .update(encodeFields('countersign/root-key-id/transit/v1', mount, name))
    .digest('hex')
    .slice(0, 16);

  async function send(method: 'GET' | 'POST', operation: string, body?: object): Promise<JsonResponse> {
    const token = readSecretFile('--transit-token-file', key.tokenFile).trim();
    const ca = key.caFile === undefined ? undefined : readFileSync(key.caFile, 'utf8');
    try {
      return await requestJson(`${origin}/v1/${mount}/${operation}/${name}`, {
        method,
        headers: { 'X-Vault-Token': token, 'X-Vault-Request': 'true' },
        ...(body !== undefined && { body }),
        ...(ca !== undefined && { ca }),
      });
    } catch (cause) {
      throw new RootKeyUnavailable(
        `${source} does not respond: ${(cause as Error).message}`,
        'check the address and the way to it',
        {
          cause,
        },
      );
    }
  }

  /** SECURITY: the response may contain a plaintext, so no error repeats it. */
  function parse<T>(schema: z.ZodType<T>, { status, body }: JsonResponse): T {
    const parsed = schema.safeParse(body);
    if (status === 200 && parsed.success) return parsed.data;
    throw denied(source, status);
  }

  const base64 = (data: string | Uint8Array) => Buffer.from(data as string).toString('base64');

  async function wrap(plain: Uint8Array, associatedData: string): Promise<Uint8Array> {
    const body = { plaintext: base64(plain), associated_data: base64(associatedData) };
    return Buffer.from(parse(encrypted, await send('POST', 'encrypt', body)).data.ciphertext, 'latin1');
  }

  async function unwrap(wrapped: Uint8Array, associatedData: string): Promise<Secret | undefined> {
    const body = { ciphertext: Buffer.from(wrapped).toString('latin1'), associated_data: base64(associatedData) };
    const response = await send('POST', 'decrypt', body);
    // 400 means that the bytes do not decrypt, or that the key is missing.
    if (response.status === 400 && (await bindsContext())) return undefined;
    return new Secret(Buffer.from(parse(decrypted, response).data.plaintext, 'base64'));
  }

  /**
   * Whether the engine decrypts what it encrypted, for the same associated data alone.
   * SECURITY: an old engine ignores associated data. A row could then be moved to another organization.
   */
  async function bindsContext(): Promise<boolean> {
    const ciphertext = Buffer.from(await wrap(randomBytes(32), 'a')).toString('latin1');
    const [same, other] = await Promise.all(
      ['a', 'b'].map((context) => send('POST', 'decrypt', { ciphertext, associated_data: base64(context) })),
    );
    if (same?.status !== 200) return false;
    if (other?.status === 400) return true;
    throw new VaultError(
      `${source} does not bind associated data`,
      'use a key of the type aes256-gcm96, and a newer release of the engine',
    );
  }

  const rootKey = Object.freeze<RootKey>({ id, isRemote: true, wrap, unwrap, wipe: () => {} });

  async function examine(): Promise<RootKey | undefined> {
    const response = await send('GET', 'keys');
    if (response.status === 404) return undefined;
    const { type, exportable, allow_plaintext_backup: hasPlainBackup, derived } = parse(described, response).data;
    const objections = [
      exportable && 'can be exported',
      hasPlainBackup && 'allows backups in plain',
      derived === true && 'is a derived key',
      !['aes256-gcm96', 'chacha20-poly1305', 'xchacha20-poly1305'].includes(type) && `has the type ${type}`,
    ].filter((objection) => objection !== false);
    if (objections[0] !== undefined)
      throw new VaultError(
        `${source} ${objections[0]}`,
        'make a key of the type aes256-gcm96 that cannot be exported or backed up in plain',
      );
    if (!(await bindsContext()))
      throw new RootKeyUnavailable(`${source} does not decrypt what it encrypted`, 'check the key and its policy');
    return rootKey;
  }

  return Object.freeze<RootKeyProvider>({
    source,
    ids: async () => ((await examine()) === undefined ? [] : [id]),
    find: async (wanted) => (wanted === id ? examine() : undefined),
    async create() {
      const existing = await examine();
      if (existing !== undefined) return existing;
      const { status } = await send('POST', 'keys', { type: 'aes256-gcm96', exportable: false, allow_plaintext_backup: false });
      const made = status === 200 || status === 204 ? await examine() : undefined;
      if (made === undefined) throw denied(source, status);
      return made;
    },
  });
}

function denied(source: string, status: number): RootKeyUnavailable {
  const reason =
    status === 403 ? 'denied access' : status === 503 ? 'is sealed or overloaded' : `returned an unexpected response (${status})`;
  return new RootKeyUnavailable(
    `${source} ${reason}`,
    status === 403 ? 'check the token and its policy: read on keys, update on encrypt and decrypt' : 'check the server',
  );
}

/** A key in the transit engine of Vault or OpenBao. */
export const transitProvider: ProviderEntry = {
  isConfigured: ({ transitUrl }) => transitUrl !== undefined,
  open: (config) => transitRootKey(readTransitKey(config)),
  rotate(config, _store, settings) {
    const next = readTransitKey(settings);
    if (config.transitUrl === settings.transitUrl)
      throw new ConfigError('The new root key is the present one.', 'Name another key in COUNTERSIGN_NEW_TRANSIT_URL.');
    return transitRootKey(next);
  },
  check: (config) => void readTransitKey(config),
  afterRotation: 'Set --transit-url and --transit-token-file to those of the new key before the next startup.',
};

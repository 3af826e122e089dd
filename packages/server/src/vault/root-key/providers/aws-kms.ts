import { createHash, randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { ConfigError } from '../../../config/config-error.ts';
import { RootKeyUnavailable, VaultError } from '../../errors.ts';
import { encodeFields } from '../../integrity/keyed-hash.ts';
import { Secret } from '../../keys/secret.ts';
import type { RootKey, RootKeyProvider } from '../root-key.ts';
import type { ProviderEntry } from './provider.ts';

/** The part of the package @aws-sdk/client-kms that this provider uses. It is an optional peer, so its types may be missing. */
export interface KmsPackage {
  readonly KMSClient: new (options: object) => { send(command: unknown, options: { abortSignal: AbortSignal }): Promise<Output> };
  readonly EncryptCommand: new (input: object) => unknown;
  readonly DecryptCommand: new (input: object) => unknown;
}

interface Output {
  readonly CiphertextBlob?: Uint8Array;
  readonly Plaintext?: Uint8Array;
  readonly KeyId?: string;
}

export interface KmsOptions {
  /** The id, ARN or alias of a symmetric key. */
  readonly keyId: string;
  /** Loads the package. Throws if it is not installed. */
  readonly load?: () => KmsPackage;
  /** Further options of the client. By default it takes region, endpoint and credentials from its environment. */
  readonly client?: object;
}

const PACKAGE = '@aws-sdk/client-kms';
const TIMEOUT_MS = 5_000;
/** The bytes are not a ciphertext of this key and context. Other errors concern the key or the service. */
const notAuthentic = new Set(['InvalidCiphertextException', 'IncorrectKeyException']);

/** A symmetric key in AWS KMS, which never leaves it. The encryption context binds a ciphertext to its organization. */
export function kmsRootKey({ keyId, load = loadInstalled, client: options = {} }: KmsOptions): RootKeyProvider {
  const source = `AWS KMS key ${keyId}`;
  let opened: { readonly kms: KmsPackage; readonly client: InstanceType<KmsPackage['KMSClient']> } | undefined;

  function open() {
    if (opened === undefined) {
      const kms = load();
      opened = { kms, client: new kms.KMSClient({ maxAttempts: 2, ...options }) };
    }
    return opened;
  }

  async function send(name: 'EncryptCommand' | 'DecryptCommand', input: object, associatedData: string): Promise<Output> {
    const { kms, client } = open();
    const command = new kms[name]({ KeyId: keyId, EncryptionContext: { countersign: associatedData }, ...input });
    return client.send(command, { abortSignal: AbortSignal.timeout(TIMEOUT_MS) });
  }

  /** SECURITY: an error of the client may repeat parts of the request, so only its name is shown. */
  function unavailable(cause: unknown): RootKeyUnavailable {
    const reason = cause instanceof Error ? cause.name : 'unknown error';
    return new RootKeyUnavailable(
      `${source} cannot be used: ${reason}`,
      'check the key, its policy, the credentials and the network',
    );
  }

  async function encrypt(plain: Uint8Array, associatedData: string): Promise<Required<Pick<Output, 'CiphertextBlob' | 'KeyId'>>> {
    const { CiphertextBlob, KeyId } = await send('EncryptCommand', { Plaintext: plain }, associatedData).catch(
      (cause: unknown) => {
        throw cause instanceof VaultError ? cause : unavailable(cause);
      },
    );
    if (CiphertextBlob === undefined || KeyId === undefined) throw unavailable(new Error('response without a ciphertext'));
    return { CiphertextBlob, KeyId };
  }

  async function unwrap(wrapped: Uint8Array, associatedData: string): Promise<Secret | undefined> {
    if (wrapped.length === 0) return undefined;
    try {
      const { Plaintext } = await send('DecryptCommand', { CiphertextBlob: wrapped }, associatedData);
      if (Plaintext === undefined) throw new Error('response without a plaintext');
      return new Secret(Plaintext);
    } catch (cause) {
      if (cause instanceof Error && notAuthentic.has(cause.name)) return undefined;
      throw unavailable(cause);
    }
  }

  /** The service names the key that encrypted, so an alias gives the id of its key. */
  async function identify(): Promise<RootKey> {
    const { KeyId } = await encrypt(randomBytes(32), PROBE);
    return Object.freeze<RootKey>({
      id: rootKeyId(KeyId),
      isRemote: true,
      wrap: async (plain, associatedData) => (await encrypt(plain, associatedData)).CiphertextBlob,
      unwrap,
      wipe: () => {},
    });
  }

  return Object.freeze<RootKeyProvider>({
    source,
    ids: async () => [(await identify()).id],
    async find(id) {
      const key = await identify();
      return key.id === id ? key : undefined;
    },
    create: identify,
  });
}

const PROBE = encodeFields('countersign/root-key-probe/v1');

/** The replicas of a multi-Region key have the same id after `key/`. */
function rootKeyId(arn: string): string {
  const key = arn.slice(arn.lastIndexOf('/') + 1);
  return createHash('sha256').update(encodeFields('countersign/root-key-id/aws-kms/v1', key)).digest('hex').slice(0, 16);
}

function loadInstalled(): KmsPackage {
  try {
    return createRequire(import.meta.url)(PACKAGE) as KmsPackage;
  } catch (cause) {
    throw new VaultError(
      `the package ${PACKAGE}, which AWS KMS needs, is not installed`,
      `install it beside countersign: 'npm install ${PACKAGE}'`,
      { cause },
    );
  }
}

/** A key in AWS KMS. */
export const awsKmsProvider: ProviderEntry = {
  isConfigured: ({ awsKmsKey }) => awsKmsKey !== undefined,
  open: ({ awsKmsKey = '' }) => kmsRootKey({ keyId: awsKmsKey }),
  rotate(config, _store, { awsKmsKey = '' }) {
    if (awsKmsKey === config.awsKmsKey)
      throw new ConfigError('The new root key is the present one.', 'Name another key in COUNTERSIGN_NEW_AWS_KMS_KEY.');
    return kmsRootKey({ keyId: awsKmsKey });
  },
  check: () => {},
  afterRotation: 'Set --aws-kms-key to the new key before the next startup.',
};

import { sealImportBundle } from '../../../packages/server/test/vault/bundle-client.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { newTarget, openExport, publishedKeys, utf8 } from '../sign-in/transfer-support.ts';

export const SUITE = 'TRANSPORT_ENCRYPTION_SUITE_ENCLAVE_ENCRYPT_V1';

/** A secret to import. */
export interface Prepared {
  readonly secretPayload: string;
  readonly targetPublicKey: string;
  readonly encryptionSuite: string;
}

/** The public key that a message of `init_import_secrets` names. */
export function targetOf(message: string): string {
  const { data } = JSON.parse(message) as { data: string };
  return (JSON.parse(Buffer.from(data, 'hex').toString()) as { targetPublic: string }).targetPublic;
}

/** Gets a target and encrypts to it. */
export async function prepareSecret(caller: Caller, content: string | Uint8Array, more: object = {}): Promise<Prepared> {
  const { enclaveTargetMessages } = await caller.result('initImportSecrets', { encryptionSuite: SUITE, numSecrets: 1 });
  return sealTo(caller, enclaveTargetMessages[0], content, more);
}

/** Encrypts to a target. */
export async function sealTo(
  caller: Caller,
  message: string,
  content: string | Uint8Array,
  more: object = {},
): Promise<Prepared> {
  const { signer } = await publishedKeys(caller.url);
  const { userId } = await caller.data('whoami');
  const plaintext = typeof content === 'string' ? utf8(content) : content;
  const ids = { organizationId: caller.organizationId, userId };
  const secretPayload = sealImportBundle(message, signer as string, ids, plaintext);
  return { secretPayload, targetPublicKey: targetOf(message), encryptionSuite: SUITE, ...more };
}

/** Imports secrets and returns their ids. */
export async function importSecrets(caller: Caller, contents: readonly string[], more: object = {}): Promise<string[]> {
  const secrets = [];
  for (const content of contents) secrets.push(await prepareSecret(caller, content, more));
  return (await caller.result('importSecrets', { secrets })).secretIds;
}

/** Exports secrets and opens them. */
export async function contentsOf(caller: Caller, secretIds: readonly string[]): Promise<string[]> {
  const target = newTarget();
  const { secretPayloads } = await caller.result('exportSecrets', exportParams(secretIds, target.hex));
  return Promise.all(secretPayloads.map(async (payload: string) => (await openExport(caller, payload, target)).toString()));
}

export const exportParams = (secretIds: readonly string[], targetPublicKey = newTarget().hex) => ({
  secrets: secretIds.map((secretId) => ({ secretId, targetPublicKey, encryptionSuite: SUITE })),
});

export const listed = async (caller: Caller): Promise<Json[]> => (await caller.data('listSecrets')).secrets;

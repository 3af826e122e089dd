import { p256 } from '@noble/curves/nist.js';
import { openCredentialBundle } from '../../../packages/server/test/vault/bundle-client.ts';
import { importApiKey, newApiKey } from '../../support/api-key.ts';
import { type Answer, type Caller, type Json, post } from '../../support/caller.ts';
import { newTarget } from './transfer-support.ts';

/** The API keys of a user, as queries show them. */
export async function keysOf(root: Caller, userId: string): Promise<Json[]> {
  return (await root.data('getApiKeys', { userId })).apiKeys;
}

/** Their types, sorted. */
export const typesOf = (keys: Json[]) => keys.map(({ credential }) => credential.type).sort();

/** Starts a read-write session and returns a caller that stamps with its key. */
export async function readWriteSession(caller: Caller, more: object = {}): Promise<Caller> {
  const target = newTarget();
  const { credentialBundle } = await caller.result('createReadWriteSession', { targetPublicKey: target.hex, ...more });
  const apiPrivateKey = openCredentialBundle(credentialBundle, target).toString('hex');
  const apiPublicKey = Buffer.from(p256.getPublicKey(Buffer.from(apiPrivateKey, 'hex'), true)).toString('hex');
  return caller.with({ key: importApiKey({ apiPublicKey, apiPrivateKey }) });
}

/** Logs in and returns a caller that stamps with the new key. */
export async function login(caller: Caller, more: object = {}): Promise<Caller> {
  const key = newApiKey();
  await caller.result('stampLogin', { publicKey: key.publicKey, ...more });
  return caller.with({ key });
}

/** Sends a query with a session token, or with any headers. */
export function ask(caller: Caller, headers: Record<string, string>, fields: object = {}): Promise<Answer> {
  const body = JSON.stringify({ organizationId: caller.organizationId, ...fields });
  return post(caller.url + caller.queryPath('whoami'), Buffer.from(body), headers);
}

export const MINUTES = 60_000;

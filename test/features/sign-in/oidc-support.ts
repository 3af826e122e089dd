import { createHash } from 'node:crypto';
import type { TrustedIssuer } from '../../../packages/server/src/config/trusted-issuers.ts';
import { CLIENT_ID, type TestIssuer } from '../../../packages/server/test/auth/oidc/test-issuer.ts';
import { type KeyPair, newKeyPair, openCredentialBundle } from '../../../packages/server/test/vault/bundle-client.ts';
import { type ApiKey, importApiKey, newApiKey } from '../../support/api-key.ts';
import type { Answer, Caller, Json } from '../../support/caller.ts';
import { createMember, errorOf, type Member, uniqueName } from '../../support/world.ts';

/** An issuer on loopback that a service under test trusts. */
export function trust(issuer: string, more: Partial<TrustedIssuer> = {}): TrustedIssuer {
  const base = { audiences: [CLIENT_ID], authorizedParties: [], allowPrivateAddress: true, maxTokenSeconds: 3600 };
  return { issuer, ...base, ...more };
}

/** The `nonce` that a client sends for its key. */
export function nonceFor(publicKeyHex: string): string {
  return createHash('sha256').update(publicKeyHex).digest('hex');
}

/** A client's key that a credential can be encrypted to. */
export interface Target {
  readonly pair: KeyPair;
  readonly publicKey: string;
  readonly nonce: string;
}

export function newTarget(): Target {
  const pair = newKeyPair();
  const publicKey = Buffer.from(pair.publicKey).toString('hex');
  return { pair, publicKey, nonce: nonceFor(publicKey) };
}

/** The API key in a credential bundle. */
export function openBundle(bundle: string, { pair }: Target, apiPublicKey: string): ApiKey {
  return importApiKey({ apiPublicKey, apiPrivateKey: openCredentialBundle(bundle, pair).toString('hex') });
}

export function providerParams(oidcToken: string) {
  return { providerName: uniqueName('Provider'), oidcToken };
}

/** Links the identity of a token to a user. */
export async function link(root: Caller, userId: string, oidcToken: string): Promise<string> {
  const { providerIds } = await root.result('createOauthProviders', { userId, oauthProviders: [providerParams(oidcToken)] });
  return providerIds[0];
}

let people = 0;

/** A unique subject at an issuer. */
export function newSubject(): string {
  return `person-${++people}-${Date.now()}`;
}

/** A user with a linked identity. */
export interface LinkedMember extends Member {
  readonly sub: string;
}

export async function createLinkedMember(root: Caller, issuer: TestIssuer): Promise<LinkedMember> {
  const member = await createMember(root);
  const sub = newSubject();
  await link(root, member.userId, await issuer.token({ sub }));
  return { ...member, sub };
}

/** Parameters of `oauth` for a new target, with a valid token of the person. */
export async function oauthParams(issuer: TestIssuer, sub: string, claims: Record<string, unknown> = {}) {
  const target = newTarget();
  const oidcToken = await issuer.token({ sub, nonce: target.nonce, ...claims });
  return { target, params: { oidcToken, targetPublicKey: target.publicKey } };
}

/** Parameters of `oauth_login` for a new key, with a valid token of the person. */
export async function loginParams(issuer: TestIssuer, sub: string) {
  const key = newApiKey();
  const oidcToken = await issuer.token({ sub, nonce: nonceFor(key.publicKey) });
  return { key, params: { oidcToken, publicKey: key.publicKey } };
}

/** The API keys of a user. */
export async function apiKeysOf(root: Caller, userId: string): Promise<Json[]> {
  return (await root.data('getApiKeys', { userId })).apiKeys;
}

/** Status and code of a refusal, and the field it names. */
export function refusal(answer: Answer): string {
  const { status, code, fields = [] } = errorOf(answer);
  return `${status} ${code} ${fields.join(',')}`.trim();
}

export const NOT_BELIEVED = '400 OIDC_TOKEN_INVALID oidcToken';

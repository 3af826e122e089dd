import { ServiceError } from '@countersign/contract';
import type { Oauth2CredentialRecord } from '../../organizations/records.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { PlanContext } from '../../pipeline/plan/executor.ts';
import { notFound } from '../../wire/refuse.ts';

/** Throws NOT_FOUND for an unknown credential. */
export function requireOauth2Credential({ records }: Snapshot, oauth2CredentialId: string): Oauth2CredentialRecord {
  const credential = records.oauth2Credential.get(oauth2CredentialId);
  if (credential === undefined) throw notFound('OAuth 2 credential', 'oauth2CredentialId');
  return credential;
}

/** SECURITY: D990: only the operator decides which hosts receive codes and client secrets. */
export function requireProvider({ oauth2 }: Pick<PlanContext, 'oauth2'>, name: string) {
  const provider = oauth2.provider(name);
  if (provider !== undefined) return provider;
  throw new ServiceError(
    'NOT_OFFERED',
    `This server is not configured for ${name}. The operator lists providers in COUNTERSIGN_OAUTH2_PROVIDERS.`,
    { violations: [{ field: 'provider', description: 'The operator does not list this provider.' }] },
  );
}

/** The auth proxy finds a credential by its provider and client, so there is one for each. */
export function requireNewClient(
  { records }: Snapshot,
  { provider, clientId }: Pick<Oauth2CredentialRecord, 'provider' | 'clientId'>,
  ownId?: string,
): void {
  const [id] = findClient(records.oauth2Credential, provider, clientId) ?? [];
  if (id === undefined || id === ownId) return;
  throw new ServiceError('NAME_TAKEN', `This client of ${provider} has another OAuth 2 credential. Update that one.`, {
    violations: [{ field: 'clientId', description: 'This client has another credential.' }],
  });
}

/** The credential of a client, with its id. */
export function findClient(
  credentials: ReadonlyMap<string, Oauth2CredentialRecord>,
  provider: string,
  clientId: string,
): readonly [id: string, credential: Oauth2CredentialRecord] | undefined {
  return [...credentials].find(([, each]) => each.provider === provider && each.clientId === clientId);
}

/** The error for a client secret that does not open. */
export function unreadableSecret(): ServiceError {
  return new ServiceError(
    'BUNDLE_INVALID',
    'The client secret cannot be decrypted: it was encrypted to another key than clientSecretReceiver of this server, was altered, or is not text. Encrypt it again.',
    { violations: [{ field: 'encryptedClientSecret', description: 'It was not encrypted to clientSecretReceiver.' }] },
  );
}

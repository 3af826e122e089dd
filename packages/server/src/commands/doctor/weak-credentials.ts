import { isWeakKey } from '../../auth/api-key/weak-keys.ts';
import { compressedCoseKey } from '../../auth/webauthn/cose-key.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { Advice } from './advice.ts';

/** A stored credential whose private key everyone knows. Earlier releases accepted them. */
export interface WeakCredential {
  readonly organizationId: string;
  readonly userId: string;
  readonly credentialId: string;
}

/** The weak API keys and passkeys of an organization. */
export function weakCredentialsOf({
  id: organizationId,
  apiKeys,
  authenticators,
}: Pick<Snapshot, 'id' | 'apiKeys' | 'authenticators'>): WeakCredential[] {
  const weakKeys = [...apiKeys].filter(([, { publicKey, curve }]) => isWeakKey(Buffer.from(publicKey, 'hex'), curve));
  const weakPasskeys = [...authenticators].filter(([, { publicKey }]) => {
    const compressed = compressedCoseKey(Buffer.from(publicKey, 'base64url'));
    return compressed !== undefined && isWeakKey(compressed, 'API_KEY_CURVE_P256');
  });
  return [...weakKeys, ...weakPasskeys].map(([credentialId, { userId }]) => ({ organizationId, userId, credentialId }));
}

/** The most credentials that the warning lists. */
const MAX_LISTED = 20;

/** The warning about weak credentials. Empty if there are none. */
export function weakKeyAdvice(found: readonly WeakCredential[]): readonly Advice[] {
  if (found.length === 0) return [];
  const listed = found
    .slice(0, MAX_LISTED)
    .map(({ organizationId, userId, credentialId }) => `${credentialId} (user ${userId}, organization ${organizationId})`);
  const more = found.length > MAX_LISTED ? [`${found.length - MAX_LISTED} more`] : [];
  return [
    {
      check: 'weak keys',
      detail: `everyone knows the private keys of these credentials, so anyone can act as their users: ${[...listed, ...more].join(', ')}`,
      fix: "Register new credentials for these users, then delete these with 'countersign delete-api-keys' or 'countersign delete-authenticators'.",
    },
  ];
}

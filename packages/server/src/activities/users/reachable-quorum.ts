import { ServiceError } from '@countersign/contract';
import type { Snapshot } from '../../organizations/snapshot.ts';

/**
 * D55: refuses to take away a user's e-mail address where it is the last lasting way in for somebody whom the root quorum needs. What
 * counts is what a new organization is asked for: a credential that does not expire by itself, a linked identity, or an e-mail address.
 */
export function requireReachableQuorum({ profile, users, apiKeys, authenticators, records }: Snapshot, userId: string): void {
  const { threshold, userIds } = profile.rootQuorum;
  if (!userIds.includes(userId)) return;
  const lasting = [...apiKeys.values()].filter(
    ({ restrictedTo, expirationSeconds }) => restrictedTo === undefined && expirationSeconds === undefined,
  );
  const held = [...lasting, ...authenticators.values(), ...records.oauthProvider.values()].map((credential) => credential.userId);
  const addressed = [...users].filter(([id, user]) => id !== userId && user.userEmail !== undefined).map(([id]) => id);
  const able = new Set([...held, ...addressed]);
  if (userIds.filter((id) => able.has(id)).length >= threshold) return;
  throw new ServiceError(
    'PRECONDITION_FAILED',
    `This would leave fewer than ${threshold} members of the root quorum with a lasting credential or an e-mail address, and nobody could repair that. Add a credential first.`,
  );
}

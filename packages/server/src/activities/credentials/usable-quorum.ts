import { ServiceError } from '@countersign/contract';
import { expired } from '../../auth/expiry.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';
import { isMeetable } from '../../policies/mfa.ts';

/**
 * D55: refuses to take credentials away where too few members of the root quorum would be left able to stamp anything, or to get a key
 * that does: nobody could ever repair the organization. Whoever cannot meet an MFA policy of their own is not able either.
 */
export function requireUsableQuorum(
  organization: Snapshot,
  removedCredentialIds: ReadonlySet<string>,
  nowMs: number,
  rootQuorum = organization.profile.rootQuorum,
): void {
  const able = new Set<string>();
  for (const [id, key] of organization.apiKeys) {
    if (!removedCredentialIds.has(id) && key.restrictedTo === undefined && !expired(key, nowMs)) able.add(key.userId);
  }
  for (const [id, authenticator] of organization.authenticators) {
    if (!removedCredentialIds.has(id)) able.add(authenticator.userId);
  }
  // A linked identity is a way back in where somebody else may ask for it: the parent's users sign people in to a sub-organization.
  const links = organization.profile.parentId === null ? [] : organization.records.oauthProvider;
  for (const [id, link] of links) {
    if (!removedCredentialIds.has(id)) able.add(link.userId);
  }
  for (const policy of organization.records.mfaPolicy.values()) {
    if (!isMeetable(organization, policy, removedCredentialIds)) able.delete(policy.userId);
  }
  const { threshold, userIds } = rootQuorum;
  if (userIds.filter((id) => able.has(id)).length >= threshold) return;
  throw new ServiceError(
    'PRECONDITION_FAILED',
    `This would leave fewer than ${threshold} members of the root quorum with a credential, and nobody could repair that. Add another credential first.`,
  );
}

import { ServiceError } from '@countersign/contract';
import { credentialsOfUser } from '@countersign/judgement';
import type { ApiKeyRecord } from '../organizations/records.ts';
import type { Snapshot } from '../organizations/snapshot/snapshot.ts';

/**
 * Why a user is not API-only, as the end of a sentence; undefined for an API-only user.
 * SECURITY: D781: an RPC key acts without a stamp of its user. So it never acts for a person, or for a member of the root quorum, whom
 * policies do not restrict.
 */
export function whyNotApiOnly({ profile, authenticators, records }: Snapshot, userId: string): string | undefined {
  if (profile.rootQuorum.userIds.includes(userId)) return 'is a member of the root quorum';
  if (credentialsOfUser(authenticators, userId).size > 0) return 'has a passkey';
  if (credentialsOfUser(records.oauthProvider, userId).size > 0) return 'has a linked identity';
  return undefined;
}

/** Rejects an RPC key whose user is no longer API-only. */
export function requireApiOnlyUser(home: Snapshot, { presents, userId }: Pick<ApiKeyRecord, 'presents' | 'userId'>): void {
  if (presents === undefined) return;
  const why = whyNotApiOnly(home, userId);
  if (why === undefined) return;
  throw new ServiceError(
    'POLICY_DENIED',
    `request not authorized: the user of this token or certificate ${why}, and the JSON-RPC endpoint acts for API-only users only. Create another user for it with create_api_only_users.`,
  );
}

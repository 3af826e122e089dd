import { credentialsOfUser } from '@countersign/judgement';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { Advice } from './advice.ts';

/**
 * Warns if the loss of one credential, or of one root user, locks everyone out of the operator's organization.
 * SECURITY: there is no back door that others could use, so spare access has to exist before a loss.
 */
export function accessAdvice({ id, profile, apiKeys, authenticators }: Snapshot): readonly Advice[] {
  if (profile.deletedAtMs !== undefined) return [];
  const { threshold, userIds } = profile.rootQuorum;
  const lasting = (userId: string) =>
    credentialsOfUser(authenticators, userId).size +
    [...credentialsOfUser(apiKeys, userId).values()].filter(({ expirationSeconds }) => expirationSeconds === undefined).length;
  const single = userIds.filter((userId) => lasting(userId) < 2);
  const hasSpare = userIds.length > threshold;
  if (hasSpare && userIds.length - single.length >= threshold) return [];
  const lacks = [
    ...(hasSpare ? [] : [`only as many root users (${userIds.length}) as its root quorum needs`]),
    ...(single.length === 0
      ? []
      : [`${single.length === 1 ? 'a root user' : `${single.length} root users`} with only one credential`]),
  ].join(', and ');
  return [
    {
      check: 'root access',
      detail: `organization ${id} has ${lacks}: whoever loses it is locked out, and there is no back door`,
      fix: "Give every root user a second credential, such as a passkey ('countersign setup-link'), and add a second root user with 'countersign create-users' and 'countersign update-root-quorum'. Keep a copy of credentials.json.",
    },
  ];
}

import { ServiceError } from '@countersign/contract';
import { credentialsOfUser, expired, isMeetable } from '@countersign/judgement';
import { signInContact, usersAt } from '../organizations/contacts.ts';
import { invitationsByReceiver } from '../organizations/snapshot/indexes.ts';
import type { Snapshot } from '../organizations/snapshot/snapshot.ts';
import { invalidField } from '../wire/refuse.ts';
import type { NewUser } from './users/new-user.ts';

/**
 * D55: the only rule on who can act, now or after signing in. A member of the root quorum is in reach with a key or a passkey. In a
 * sub-organization a linked identity or an e-mail address is enough, because users of the parent sign people in there. A top-level
 * organization has no parent to do that. A phone number is not enough: others can turn text messages off.
 */
interface WaysIn {
  readonly credentials: number;
  readonly identities: number;
  readonly email: boolean;
}

function isInReach({ credentials, identities, email }: WaysIn, isSubOrganization: boolean): boolean {
  return credentials > 0 || (isSubOrganization && (identities > 0 || email));
}

/** What a change removes. */
interface Change {
  readonly withoutCredentials?: ReadonlySet<string>;
  readonly withoutEmailOf?: string;
}

const nothing: ReadonlySet<string> = new Set();

/** Rejects a new root quorum if too few of its members can act. */
export function requireQuorumInReach(organization: Snapshot, rootQuorum: Snapshot['profile']['rootQuorum'], nowMs: number): void {
  const { threshold, userIds } = rootQuorum;
  const able = userIds.filter((userId) => canAct(organization, userId, {}, (key) => !expired(key, nowMs)));
  if (able.length < threshold) throw outOfReach(threshold);
}

/**
 * Rejects a change that leaves too few members of the root quorum able to act, because the organization could never be repaired. An
 * expiring key does not replace a lasting credential. If too few members can act already, only changes that make it worse are rejected.
 */
export function requireQuorumStaysInReach(organization: Snapshot, change: Change, nowMs: number): void {
  const { threshold, userIds } = organization.profile.rootQuorum;
  const lasts = ({ expirationSeconds }: ApiKey) => expirationSeconds === undefined;
  for (const counts of [lasts, (key: ApiKey) => !expired(key, nowMs)]) {
    const after = userIds.filter((userId) => canAct(organization, userId, change, counts)).length;
    const before = userIds.filter((userId) => canAct(organization, userId, {}, counts)).length;
    if (after < threshold && after < before) throw outOfReach(threshold);
  }
}

/** Rejects a sub-organization whose root quorum could never act. */
export function requireNewUsersInReach(users: readonly NewUser[], threshold: number): void {
  const able = users.filter(({ user, apiKeys, authenticators, oauthProviders }) =>
    isInReach(
      {
        credentials: apiKeys.length + authenticators.length,
        identities: oauthProviders.length,
        email: user.userEmail !== undefined,
      },
      true,
    ),
  );
  if (able.length >= threshold) return;
  throw invalidField(
    'rootUsers',
    `must have a credential or an email address for at least ${threshold} users: otherwise no one could act in the sub-organization`,
  );
}

type ApiKey = Snapshot['apiKeys'] extends ReadonlyMap<string, infer K> ? K : never;

/** Whether a user can act after a change. A user who cannot meet one of their MFA policies cannot act. */
function canAct(
  organization: Snapshot,
  userId: string,
  { withoutCredentials = nothing, withoutEmailOf }: Change,
  counts: (key: ApiKey) => boolean,
): boolean {
  const { apiKeys, authenticators, records, profile } = organization;
  const heldIn = <T extends { readonly userId: string }>(all: ReadonlyMap<string, T>) =>
    [...credentialsOfUser(all, userId)].filter(([id]) => !withoutCredentials.has(id)).map(([, each]) => each);
  const keys = heldIn(apiKeys).filter((key) => key.restrictedTo === undefined && counts(key));
  const ways = {
    credentials: keys.length + heldIn(authenticators).length,
    identities: heldIn(records.oauthProvider).length,
    email: withoutEmailOf !== userId && signsInByEmail(organization, userId),
  };
  if (!isInReach(ways, profile.parentId !== null)) return false;
  const own = [...credentialsOfUser(records.mfaPolicy, userId).values()];
  return own.every((policy) => isMeetable(organization, policy, withoutCredentials));
}

/** Whether an e-mail address identifies this user uniquely. False while an invitation is open: the invited person may never accept it. */
function signsInByEmail(organization: Snapshot, userId: string): boolean {
  const invitations = [...(invitationsByReceiver(organization.records.invitation).get(userId)?.values() ?? [])];
  const isOpen = invitations.some(({ status }) => status === 'INVITATION_STATUS_CREATED');
  if (isOpen) return false;
  const user = organization.users.get(userId);
  const email = user && signInContact(user, 'OTP_TYPE_EMAIL');
  if (email === undefined) return false;
  const [meant, another] = usersAt(organization, 'OTP_TYPE_EMAIL', email);
  return meant?.userId === userId && another === undefined;
}

function outOfReach(threshold: number): ServiceError {
  return new ServiceError(
    'PRECONDITION_FAILED',
    `This would leave fewer than ${threshold} members of the root quorum with a permanent credential or, in a sub-organization, an email address or identity to sign in with, and no one could fix that. Add a credential first.`,
  );
}

import { ServiceError } from '@countersign/contract';
import { credentialsOfUser, expired, isMeetable } from '@countersign/judgement';
import { signInContact, usersAt } from '../organizations/contacts.ts';
import { invitationsByReceiver } from '../organizations/indexes.ts';
import type { Snapshot } from '../organizations/snapshot.ts';
import { invalidField } from '../wire/refuse.ts';
import type { NewUser } from './users/new-user.ts';

/**
 * D55: the one rule on who can act, now or by signing in. A member of the root quorum is in reach with a key or a passkey. In a
 * sub-organization a linked identity or an e-mail address is enough, because the parent's users sign people in there; at the top nobody
 * does that. A phone number is not enough: text messages can be switched off by others.
 */
interface WaysIn {
  readonly credentials: number;
  readonly identities: number;
  readonly email: boolean;
}

function isInReach({ credentials, identities, email }: WaysIn, isSubOrganization: boolean): boolean {
  return credentials > 0 || (isSubOrganization && (identities > 0 || email));
}

/** What goes away. */
interface Change {
  readonly withoutCredentials?: ReadonlySet<string>;
  readonly withoutEmailOf?: string;
}

const nothing: ReadonlySet<string> = new Set();

/** Refuses a new root quorum of which too few members can act. */
export function requireQuorumInReach(organization: Snapshot, rootQuorum: Snapshot['profile']['rootQuorum'], nowMs: number): void {
  const { threshold, userIds } = rootQuorum;
  const able = userIds.filter((userId) => canAct(organization, userId, {}, (key) => !expired(key, nowMs)));
  if (able.length < threshold) throw outOfReach(threshold);
}

/**
 * Refuses to take away what too many members of the root quorum need to act: nobody could ever repair the organization. A key that
 * expires by itself does not replace what lasts. Where too few are in reach already, whatever makes it no worse is taken.
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

/** Refuses a sub-organization that nobody could ever act in. */
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
    `must bring a credential or an e-mail address for at least ${threshold} users: otherwise nobody could ever act in the sub-organization`,
  );
}

type ApiKey = Snapshot['apiKeys'] extends ReadonlyMap<string, infer K> ? K : never;

/** Whether a user can act after a change. Whoever cannot meet an MFA policy of their own is not able to. */
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

/** Whether a user, and nobody else, is meant by their e-mail address. Nobody knows yet whether somebody who was invited takes part. */
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
    `This would leave fewer than ${threshold} members of the root quorum with a lasting credential or, in a sub-organization, an e-mail address or identity to sign in with, and nobody could repair that. Add a credential first.`,
  );
}

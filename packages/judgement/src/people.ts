import type { PolicyCredential, PolicyUser } from '@countersign/policy';
import { contactState } from './contact-state.ts';
import { expired } from './expiry.ts';
import type { Approvable } from './judgement.ts';
import { isMfaComplete, type MfaState, mfaStates } from './mfa.ts';
import type { JudgedOrganization } from './organization.ts';
import type { UserRecord } from './records.ts';
import { scopeRefusal } from './session-scope.ts';

/** The people of an organization as policies see them. */
export interface People {
  readonly users: ReadonlyMap<string, PolicyUser>;
  /** Credentials by id. */
  readonly credentials: ReadonlyMap<string, PolicyCredential>;
}

const known = new WeakMap<JudgedOrganization, People>();

/** The people of an organization. Every decision needs them, so each snapshot gathers them once. */
export function peopleOf(organization: JudgedOrganization): People {
  const made = known.get(organization) ?? gather(organization);
  known.set(organization, made);
  return made;
}

function gather({ users, apiKeys, authenticators }: JudgedOrganization): People {
  const credentials: PolicyCredential[] = [
    ...[...apiKeys].map(([id, { userId, type, publicKey }]) => ({ id, userId, type, publicKey })),
    ...[...authenticators].map(([id, { userId, publicKey, credentialId }]) => ({
      id,
      userId,
      type: 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR',
      publicKey,
      credentialId,
    })),
  ];
  const ofUser = new Map<string, PolicyCredential[]>();
  for (const credential of credentials) {
    const own = ofUser.get(credential.userId);
    if (own === undefined) ofUser.set(credential.userId, [credential]);
    else own.push(credential);
  }
  const toUser = ([id, user]: [string, UserRecord]): [string, PolicyUser] => [
    id,
    {
      id,
      tags: user.userTags,
      // SECURITY: policies trust an address, so one that somebody merely entered is not shown to them.
      email: contactState(user, 'OTP_TYPE_EMAIL')?.how === 'UNVERIFIED' ? undefined : user.userEmail,
      alias: user.userName,
      credentials: ofUser.get(id) ?? [],
    },
  ];
  return { users: new Map([...users].map(toUser)), credentials: new Map(credentials.map((each) => [each.id, each])) };
}

/** How long an approval counts. After that the activity stays open, and users can approve again. */
const APPROVAL_LIFE_MS = 24 * 60 * 60 * 1000;

/**
 * The approvals that stand now.
 * SECURITY: D12, D51, D52: an approval stands while its user and the credential that stamped it are in the organization and have not
 * expired. Earlier decisions do not matter. The approval of a session stands only for what its profile allows.
 */
export function standingApprovals(approvable: Approvable) {
  const { organization, votes, nowMs } = approvable;
  const people = peopleOf(organization);
  return votes
    .filter(({ selection, createdAtMs }) => selection === 'VOTE_SELECTION_APPROVED' && createdAtMs > nowMs - APPROVAL_LIFE_MS)
    .flatMap((vote) => {
      const credential = people.credentials.get(vote.credentialId);
      const user = people.users.get(vote.userId);
      if (credential === undefined || user === undefined || credential.userId !== user.id) return [];
      const apiKey = organization.apiKeys.get(credential.id);
      const stands = apiKey === undefined || (apiKey.restrictedTo === undefined && !expired(apiKey, nowMs));
      return stands && scopeRefusal(approvable, credential.id) === undefined ? [{ vote, user, credential }] : [];
    });
}

/**
 * The approvals that count now.
 * INVARIANT: an approval counts, for the root quorum as for policies, once its user has shown all that their MFA policies demand.
 */
export function liveApprovals(approvable: Approvable) {
  const standing = standingApprovals(approvable);
  if (approvable.mfaAssumed === true || approvable.organization.records.mfaPolicy.size === 0) return standing;
  const complete = new Map<string, boolean>();
  return standing.filter(({ user: { id } }) => {
    if (!complete.has(id)) complete.set(id, isMfaComplete(approvable, id, credentialsOf(standing, id)));
    return complete.get(id);
  });
}

/** The users whose approvals stand, and do not count before they have shown more. */
export function usersToShowMore(approvable: Approvable): readonly string[] {
  const standing = standingApprovals(approvable);
  const userIds = [...new Set(standing.map(({ user }) => user.id))];
  return userIds.filter((id) => !isMfaComplete(approvable, id, credentialsOf(standing, id)));
}

/** How far the approvals of a user meet the MFA policies that the activity is under. */
export function mfaStatesOf(approvable: Approvable, userId: string): readonly MfaState[] {
  return mfaStates(approvable, userId, credentialsOf(standingApprovals(approvable), userId));
}

function credentialsOf(approvals: ReturnType<typeof standingApprovals>, userId: string): string[] {
  return [...new Set(approvals.filter(({ user }) => user.id === userId).map(({ credential }) => credential.id))];
}

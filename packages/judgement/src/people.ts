import { MappedView } from '@countersign/collections';
import type { PolicyCredential, PolicyUser } from '@countersign/policy';
import { contactState } from './contact-state.ts';
import { credentialsOfUser, expired, scopeRefusal } from './credentials.ts';
import { countsFrozenUsers, isFrozenUser, needsOneFactor } from './freezes.ts';
import type { Approvable } from './judgement.ts';
import { isMfaComplete, type MfaState, mfaStates } from './mfa.ts';
import type { JudgedOrganization } from './organization.ts';
import type { ApiKeyRecord, AuthenticatorRecord, UserRecord } from './records.ts';
import type { VoteRecord } from './votes.ts';

/** The people of an organization as policies see them. */
export interface People {
  readonly users: ReadonlyMap<string, PolicyUser>;
  /** A credential by its id. */
  credential(id: string): PolicyCredential | undefined;
}

const known = new WeakMap<JudgedOrganization, People>();

/** The people of an organization. Each user is mapped when a decision reads it, so the others cost nothing. */
export function peopleOf(organization: JudgedOrganization): People {
  const made = known.get(organization) ?? viewOf(organization);
  known.set(organization, made);
  return made;
}

function viewOf({ users, apiKeys, authenticators }: JudgedOrganization): People {
  return {
    users: new MappedView(users, (user, id) =>
      showUser(id, user, credentialsOfUser(apiKeys, id), credentialsOfUser(authenticators, id)),
    ),
    credential(id) {
      const key = apiKeys.get(id);
      if (key !== undefined) return showApiKey(id, key);
      const passkey = authenticators.get(id);
      return passkey && showPasskey(id, passkey);
    },
  };
}

type Keys = ReadonlyMap<string, ApiKeyRecord>;
type Passkeys = ReadonlyMap<string, AuthenticatorRecord>;

const shown = new WeakMap<UserRecord, { readonly keys: Keys; readonly passkeys: Passkeys; readonly user: PolicyUser }>();

/** A user as policies see them. The same object until the user or one of their credentials changes. */
function showUser(id: string, user: UserRecord, keys: Keys, passkeys: Passkeys): PolicyUser {
  const before = shown.get(user);
  if (before?.keys === keys && before.passkeys === passkeys) return before.user;
  const made: PolicyUser = {
    id,
    tags: user.userTags,
    // SECURITY: policies trust e-mail addresses, so they do not see an unverified one.
    email: contactState(user, 'OTP_TYPE_EMAIL')?.how === 'UNVERIFIED' ? undefined : user.userEmail,
    alias: user.userName,
    credentials: [
      ...[...keys].map(([keyId, key]) => showApiKey(keyId, key)),
      ...[...passkeys].map(([passkeyId, passkey]) => showPasskey(passkeyId, passkey)),
    ],
  };
  shown.set(user, { keys, passkeys, user: made });
  return made;
}

function showApiKey(id: string, { userId, type, publicKey }: ApiKeyRecord): PolicyCredential {
  return { id, userId, type, publicKey };
}

function showPasskey(id: string, { userId, publicKey, credentialId }: AuthenticatorRecord): PolicyCredential {
  return { id, userId, type: 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR', publicKey, credentialId };
}

/** How long an approval counts. After that the activity stays pending, and users can approve again. */
const APPROVAL_LIFE_MS = 24 * 60 * 60 * 1000;

/** An approval, its user, and the credential that stamped it. */
interface StandingApproval {
  readonly vote: VoteRecord;
  readonly user: PolicyUser;
  readonly credential: PolicyCredential;
}

/**
 * The approvals that are valid now.
 * SECURITY: D12, D51, D52: an approval is valid while its user and the credential that stamped it are in the organization and have not
 * expired. Earlier decisions do not matter. The approval of a session is valid only for activities that its profile allows.
 * D301: the approval of a frozen user is not valid, except to unfreeze.
 */
export function standingApprovals(approvable: Approvable): readonly StandingApproval[] {
  const { organization, votes, nowMs } = approvable;
  const people = peopleOf(organization);
  const ignoresFrozen = organization.records.freeze.size > 0 && !countsFrozenUsers(approvable);
  const standing: StandingApproval[] = [];
  for (const vote of votes) {
    if (vote.selection !== 'VOTE_SELECTION_APPROVED' || vote.createdAtMs <= nowMs - APPROVAL_LIFE_MS) continue;
    if (ignoresFrozen && isFrozenUser(organization, vote.userId)) continue;
    const credential = people.credential(vote.credentialId);
    const user = people.users.get(vote.userId);
    if (credential === undefined || user === undefined || credential.userId !== user.id) continue;
    const apiKey = organization.apiKeys.get(credential.id);
    const stands = apiKey === undefined || (apiKey.restrictedTo === undefined && !expired(apiKey, nowMs));
    if (stands && scopeRefusal(approvable, credential.id) === undefined) standing.push({ vote, user, credential });
  }
  return standing;
}

/**
 * The approvals that count now.
 * INVARIANT: an approval counts, for the root quorum and for policies, only if its user meets all of their MFA policies. Only a freeze
 * needs no second factor.
 */
export function liveApprovals(approvable: Approvable): readonly StandingApproval[] {
  const standing = standingApprovals(approvable);
  const isMfaIgnored = approvable.mfaAssumed === true || needsOneFactor(approvable);
  if (isMfaIgnored || approvable.organization.records.mfaPolicy.size === 0) return standing;
  const complete = new Map<string, boolean>();
  return standing.filter(({ user: { id } }) => {
    if (!complete.has(id)) complete.set(id, isMfaComplete(approvable, id, credentialsOf(standing, id)));
    return complete.get(id);
  });
}

/** The users whose approvals are valid but do not count until they meet their MFA policies. */
export function usersToShowMore(approvable: Approvable): readonly string[] {
  if (approvable.organization.records.mfaPolicy.size === 0 || needsOneFactor(approvable)) return [];
  const standing = standingApprovals(approvable);
  const userIds = [...new Set(standing.map(({ user }) => user.id))];
  return userIds.filter((id) => !isMfaComplete(approvable, id, credentialsOf(standing, id)));
}

/** How far the approvals of a user meet the MFA policies that apply to the activity. */
export function mfaStatesOf(approvable: Approvable, userId: string): readonly MfaState[] {
  return mfaStates(approvable, userId, credentialsOf(standingApprovals(approvable), userId));
}

function credentialsOf(approvals: readonly StandingApproval[], userId: string): string[] {
  return [...new Set(approvals.filter(({ user }) => user.id === userId).map(({ credential }) => credential.id))];
}

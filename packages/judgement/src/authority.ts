import { type StrengthName, strengthOf, strengths } from './credential-strength.ts';
import { needsOneFactor, reservedByFreeze } from './freezes.ts';
import type { Judgement } from './judgement.ts';
import { standingApprovals } from './people.ts';
import { type CredentialTouch, isCredentialTouch } from './subject.ts';

/**
 * Who may change the credentials of a user.
 * INVARIANT: anything that can lead to acting as a user is a credential of that user. Creating, changing or removing it requires that
 * user's own proof of at least the same strength, or the authority that could act as that user anyway. For members of the root quorum, that
 * authority is the root quorum itself.
 */
export interface Authority {
  /** The submitter changes only their own credentials, with a credential that is strong enough. */
  readonly selfService: boolean;
  /** Present if only the root quorum may do it: the reason, as the end of a sentence. */
  readonly reserved?: string;
  /** The submitter is a member of the root quorum, and one member is enough for this activity. */
  readonly rootUser?: true;
}

/** Activities on the user's own credentials and sessions need no ALLOW policy. A DENY policy still applies. */
export const selfServiceResources: readonly string[] = ['CREDENTIAL', 'AUTH', 'MFA_POLICY'];

/**
 * The strength that a credential needs to change each of these. A contact or an identity opens a session, so it is as strong as a session.
 */
const strengthOfTouched: Readonly<Record<CredentialTouch['what'], StrengthName>> = {
  SESSION: 'SESSION',
  CONTACT: 'SESSION',
  IDENTITY: 'SESSION',
  PUSH: 'SESSION',
  API_KEY: 'API_KEY',
  PASSKEY: 'PASSKEY',
  MFA: 'PASSKEY',
};

export function authorityOf(judgement: Judgement): Authority {
  const { definition, subject, votes } = judgement;
  const frozen = reservedByFreeze(judgement);
  if (frozen !== undefined) return { selfService: false, reserved: frozen };
  if (needsOneFactor(judgement)) return isByRootUser(judgement) ? { selfService: false, rootUser: true } : { selfService: false };
  // SECURITY: D283: with the key, an ordinary user would answer for everyone who signs in through the relay.
  if (subject.touches?.some(({ what }) => what === 'SIGN_IN_KEY'))
    return { selfService: false, reserved: "it registers the organization's sign-in key" };
  const touches = (subject.touches ?? []).filter(isCredentialTouch);
  if (touches.length === 0) return { selfService: false };
  const stamped = submittersStrength(judgement);
  const submitterId = votes[0]?.userId;
  for (const touch of touches) {
    const reserved = touch.proven === true ? undefined : reservation(judgement, touch, submitterId, stamped);
    if (reserved !== undefined) return { selfService: false, reserved };
  }
  const own = stamped !== undefined && touches.every(({ userId }) => userId === submitterId);
  return {
    selfService: own && touches.length === subject.touches?.length && selfServiceResources.includes(definition.policy.resource),
  };
}

/** Whether the approval of a submitter who is a member of the root quorum counts. */
function isByRootUser(judgement: Judgement): boolean {
  const { userIds } = judgement.organization.profile.rootQuorum;
  return userIds.includes(judgement.votes[0]?.userId ?? '') && submittersStrength(judgement) !== undefined;
}

/** Why only the root quorum may make this change. Undefined if the user's own stamp, or a policy, is enough. */
function reservation(
  { target }: Judgement,
  { what, userId, ends, strength = strengthOfTouched[what] }: CredentialTouch,
  submitterId: string | undefined,
  stamped: StrengthName | undefined,
): string | undefined {
  if (userId === submitterId) {
    if (stamped === undefined) return "the user's own approval no longer counts";
    if (strengths[stamped] < strengths[strength])
      return `a credential cannot add, change or remove a stronger one (it was stamped with ${named[stamped]})`;
    // A session may renew or end sessions. Anything else that it creates would outlive it.
    if (stamped === 'SESSION' && what !== 'SESSION' && !sessionsMayChangeCredentials(target))
      return 'a session may not change the credentials of its user (FEATURE_NAME_SESSION_SELF_SERVICE is off)';
    return undefined;
  }
  // SECURITY: opening a session for another user without that user's proof is impersonation. A policy for sign-in never means to allow it.
  if (what === 'SESSION' && ends !== true) return 'it lets somebody act as another user without proof of that user';
  // SECURITY: removing another user's second factor is as powerful as having it.
  if (what === 'MFA' && ends === true) return 'it takes away what another user has to show';
  if (target.profile.rootQuorum.userIds.includes(userId)) return 'it touches a way to act as a member of the root quorum';
  return undefined;
}

const named: Readonly<Record<StrengthName, string>> = { SESSION: 'a session', API_KEY: 'an API key', PASSKEY: 'a passkey' };

function sessionsMayChangeCredentials({ profile }: Judgement['target']): boolean {
  return profile.features.some(({ name }) => name === 'FEATURE_NAME_SESSION_SELF_SERVICE');
}

/**
 * The strength of the strongest credential with which the submitter approved this. Undefined while no approval of the submitter counts.
 * SECURITY: another user's approval does not make the request the submitter's own. While an MFA policy of the submitter is not met, the
 * request stays pending, however strong the credential.
 */
function submittersStrength(judgement: Judgement): StrengthName | undefined {
  const submitterId = judgement.votes[0]?.userId;
  return standingApprovals(judgement)
    .filter(({ user }) => user.id === submitterId)
    .map(({ credential }) => strengthOf(credential.type))
    .sort((a, b) => strengths[b] - strengths[a])[0];
}

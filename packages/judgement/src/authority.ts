import { type StrengthName, strengthOf, strengths } from './credential-strength.ts';
import type { Judgement } from './judgement.ts';
import { standingApprovals } from './people.ts';
import { type CredentialTouch, isCredentialTouch } from './subject.ts';

/**
 * Who may touch a way to act as a user.
 * INVARIANT: whatever can lead to acting as a user is a credential of that user. Making, changing or removing it takes that user's own
 * proof of at least the same strength, or the authority that could act as that user anyway. For members of the root quorum that
 * authority is the root quorum itself.
 */
export interface Authority {
  /** The submitter changes nothing but their own credentials, with a credential that is strong enough. */
  readonly selfService: boolean;
  /** Present where only the root quorum may do it: why, as the end of a sentence. */
  readonly reserved?: string;
}

/** Activities on one's own credentials and sessions need no policy, unless one denies them. */
export const selfServiceResources: readonly string[] = ['CREDENTIAL', 'AUTH', 'MFA_POLICY'];

/** What a credential must be worth to touch each of these. A contact or an identity is worth what it opens: a session. */
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

/** Why only the root quorum may touch this; undefined where the user's own stamp, or a policy, is enough. */
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
    // A session may renew or end sessions. Anything else it makes would outlive the session.
    if (stamped === 'SESSION' && what !== 'SESSION' && !sessionsMayChangeCredentials(target))
      return 'a session may not change the credentials of its user (FEATURE_NAME_SESSION_SELF_SERVICE is off)';
    return undefined;
  }
  // SECURITY: a session for somebody else, without any proof of theirs, is impersonation. A policy for sign-in never means that.
  if (what === 'SESSION' && ends !== true) return 'it lets somebody act as another user without proof of that user';
  // SECURITY: whoever takes a second factor away is as good as one who has it.
  if (what === 'MFA' && ends === true) return 'it takes away what another user has to show';
  if (target.profile.rootQuorum.userIds.includes(userId)) return 'it touches a way to act as a member of the root quorum';
  return undefined;
}

const named: Readonly<Record<StrengthName, string>> = { SESSION: 'a session', API_KEY: 'an API key', PASSKEY: 'a passkey' };

function sessionsMayChangeCredentials({ profile }: Judgement['target']): boolean {
  return profile.features.some(({ name }) => name === 'FEATURE_NAME_SESSION_SELF_SERVICE');
}

/**
 * The strength of the strongest credential that the submitter has approved this with; undefined while no approval of theirs counts.
 * SECURITY: somebody else's approval does not make the request that user's own. While an MFA policy of the submitter is not met, the
 * request waits, however strong the credential.
 */
function submittersStrength(judgement: Judgement): StrengthName | undefined {
  const submitterId = judgement.votes[0]?.userId;
  return standingApprovals(judgement)
    .filter(({ user }) => user.id === submitterId)
    .map(({ credential }) => strengthOf(credential.type))
    .sort((a, b) => strengths[b] - strengths[a])[0];
}

import { activities, builtInProfile } from '@countersign/contract';
import { type AuditedBodies, canonicalEmail, isSession, strengthOf } from '@countersign/judgement';
import { endedSession, isAttestedPasskey } from './credentials.ts';
import { type Change, type Done, has, hasEnded, isNew, nothing, type Rules } from './rule.ts';

/** What a new session must be. */
interface Session {
  readonly type: string;
  /** Undefined where a token says whose it is, which the file does not show. */
  readonly userId?: string | undefined;
  /** Undefined where the service made the key. */
  readonly publicKey?: string;
  readonly id?: string;
  readonly sessionProfileId?: string | undefined;
  readonly restrictedTo?: { readonly activity: string; readonly subjectId: string };
}

/** Whether a change is the session that was asked for, or one of the same user that made room for it. */
function isSessionFor(change: Change, done: Done, asked: Session): boolean {
  if (!isNew(change, 'apiKey')) return endedSession(change, done, asked.userId ?? newHolder(done));
  const { after } = change;
  if (after.type !== asked.type || strengthOf(after.type) !== 'SESSION' || after.expirationSeconds === undefined) return false;
  if (!done.state.all('user').has(after.userId) || (asked.userId !== undefined && after.userId !== asked.userId)) return false;
  if (asked.publicKey !== undefined && after.publicKey !== asked.publicKey.toLowerCase()) return false;
  if (asked.id !== undefined && change.id !== asked.id) return false;
  // SECURITY: a session that was asked for with a profile must be limited by it.
  if (asked.sessionProfileId !== undefined && after.limitedTo?.sessionProfileId !== asked.sessionProfileId) return false;
  if (asked.restrictedTo === undefined && !isLimited(after, done)) return false;
  return has(after, { restrictedTo: asked.restrictedTo });
}

const REQUIRED = 'FEATURE_NAME_SESSION_PROFILES_REQUIRED';

/**
 * Whether a session has the scope of its profile, and has a profile if the organization requires one.
 * The profiles of a sub-organization belong to its parent, whose records the file does not contain.
 */
function isLimited({ limitedTo }: AuditedBodies['apiKey'], { state }: Done): boolean {
  if (limitedTo === undefined)
    return ![...state.all('organization').values()].some(({ features }) => features.some(({ name }) => name === REQUIRED));
  const { sessionProfileId, scope } = limitedTo;
  const profile = builtInProfile(sessionProfileId) ?? state.get('sessionProfile', sessionProfileId);
  return profile === undefined || profile.scope === scope;
}

/** The user of the session that the activity made. */
function newHolder({ changes }: Done): string | undefined {
  const made = changes.find((each) => 'put' in each && each.put === 'apiKey');
  return made && 'put' in made ? String(made.body.userId) : undefined;
}

const LOGIN = 'CREDENTIAL_TYPE_LOGIN';

/** Whether a user has this e-mail address. */
function hasEmail({ state }: Done, userId: string, email: string): boolean {
  return canonicalEmail(state.get('user', userId)?.userEmail ?? '') === canonicalEmail(email);
}

export const signInRules: Rules<
  | 'createReadOnlySession'
  | 'createReadWriteSession'
  | 'createSessionProfile'
  | 'emailAuth'
  | 'endSessions'
  | 'initOtp'
  | 'initOtpAuth'
  | 'initUserEmailRecovery'
  | 'oauth'
  | 'oauthLogin'
  | 'otpAuth'
  | 'otpLogin'
  | 'recoverUser'
  | 'stampLogin'
  | 'verifyOtp'
> = {
  createReadOnlySession: nothing,
  initOtp: nothing,
  initOtpAuth: nothing,
  verifyOtp: nothing,
  createReadWriteSession(change, done) {
    const { params, result, submitterId } = done;
    const { userId } = result;
    const isHolder =
      params.email === undefined ? userId === (params.userId ?? submitterId) : hasEmail(done, userId, params.email);
    const type = 'CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256';
    return isHolder && isSessionFor(change, done, { type, userId, id: result.apiKeyId });
  },
  stampLogin: (change, done) =>
    done.submitterId !== undefined && isSessionFor(change, done, { ...done.params, type: LOGIN, userId: done.submitterId }),
  otpLogin: (change, { params, ...done }) => isSessionFor(change, { params, ...done }, loginOf(params)),
  oauthLogin: (change, { params, ...done }) => isSessionFor(change, { params, ...done }, loginOf(params)),
  oauth: (change, done) =>
    isSessionFor(change, done, { type: 'CREDENTIAL_TYPE_OAUTH_KEY_P256', userId: done.result.userId, id: done.result.apiKeyId }),
  otpAuth: (change, done) =>
    isSessionFor(change, done, {
      type: 'CREDENTIAL_TYPE_OTP_AUTH_KEY_P256',
      userId: done.result.userId,
      id: done.result.apiKeyId,
    }),
  emailAuth: (change, done) =>
    hasEmail(done, done.result.userId, done.params.email) &&
    isSessionFor(change, done, {
      type: 'CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256',
      userId: done.result.userId,
      id: done.result.apiKeyId,
    }),
  initUserEmailRecovery(change, done) {
    const { userId } = done.result;
    const restrictedTo = { activity: activities.recoverUser.name, subjectId: userId };
    const asked = { type: 'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256', userId, restrictedTo };
    return hasEmail(done, userId, done.params.email) && isSessionFor(change, done, asked);
  },
  recoverUser: (change, { params: { userId, authenticator } }) =>
    isAttestedPasskey(change, [authenticator], userId) ||
    (hasEnded(change, 'apiKey') &&
      change.before.userId === userId &&
      change.before.type === 'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256'),
  createSessionProfile: (change, { params, result }) =>
    isNew(change, 'sessionProfile') && change.id === result.sessionProfileId && has(change.after, params),
  endSessions: (change, { result }) =>
    hasEnded(change, 'apiKey') && isSession(change.before) && result.apiKeyIds.includes(change.id),
};

function loginOf({
  publicKey,
  sessionProfileId,
}: {
  readonly publicKey: string;
  readonly sessionProfileId?: string | undefined;
}): Session {
  return { type: LOGIN, publicKey, sessionProfileId };
}

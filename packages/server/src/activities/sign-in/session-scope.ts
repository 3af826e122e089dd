import { builtInProfile, builtInProfiles, ServiceError } from '@countersign/contract';
import type { Feature, SessionScope } from '../../organizations/records.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { PlanContext } from '../../pipeline/plan/executor.ts';
import { notFound } from '../../wire/refuse.ts';
import type { SessionProof } from './session-lifetime.ts';

const FEATURE = 'FEATURE_NAME_SESSION_PROFILES_REQUIRED';

type Context = Pick<PlanContext, 'organization' | 'parent'>;

/** A request for a session, and how its user is authenticated. */
interface ScopeRequest {
  readonly proof: SessionProof;
  readonly sessionProfileId: string | undefined;
}

/**
 * Returns the scope of a session, which its profile defines.
 * SECURITY: a session with a profile can only open sessions with the same profile. D292: if the organization requires profiles, every
 * operation that opens a session goes through here and gets one, or is rejected.
 */
export async function scopeOf(
  context: Context & Pick<PlanContext, 'submittedWith'>,
  { proof, sessionProfileId }: ScopeRequest,
): Promise<SessionScope | undefined> {
  const { organization, submittedWith } = context;
  const opener = proof === 'STAMP' ? organization.apiKeys.get(submittedWith)?.limitedTo : undefined;
  if (opener !== undefined) {
    if (sessionProfileId === undefined || sessionProfileId === opener.sessionProfileId) return opener;
    throw new ServiceError(
      'POLICY_DENIED',
      'request not authorized: a session with a profile opens sessions with the same profile only. Sign in for another.',
      { violations: [{ field: 'sessionProfileId', description: 'It is not the profile of this session.' }] },
    );
  }
  const required = await requiredProfile(context);
  const chosen = sessionProfileId ?? required?.value;
  if (chosen !== undefined) requireChoosable(chosen, required);
  else if (required !== undefined) throw profileRequired();
  return chosen === undefined ? undefined : findProfile(context, chosen, 'sessionProfileId');
}

/** The feature that requires profiles, with the default profile as its value: of the organization, otherwise of its parent. */
async function requiredProfile({ organization, parent }: Context): Promise<Feature | undefined> {
  return featureOf(organization) ?? featureOf(await parent());
}

function featureOf(organization: Snapshot | undefined): Feature | undefined {
  return organization?.profile.features.find(({ name }) => name === FEATURE);
}

/** Whether sessions of the organization must have a profile. */
export async function requiresProfiles(context: Context): Promise<boolean> {
  return (await requiredProfile(context)) !== undefined;
}

/**
 * SECURITY: D292: every organization has the profile of people without a passkey, which signs. If profiles are required, it counts only if
 * the root quorum chose it as the default. The profile of the console only reads, so it always counts.
 */
function requireChoosable(sessionProfileId: string, required: Feature | undefined): void {
  if (required === undefined || sessionProfileId !== builtInProfiles.consoleWithoutPasskey.sessionProfileId) return;
  if (required.value !== sessionProfileId) throw profileRequired();
}

function profileRequired(): ServiceError {
  return new ServiceError(
    'PRECONDITION_FAILED',
    `Sessions of this organization require one of its session profiles (${FEATURE}). Pass sessionProfileId to stamp_login, otp_login or oauth_login, or ask the root quorum to set a default profile as the value of the feature.`,
    { violations: [{ field: 'sessionProfileId', description: 'A session profile is required here.' }] },
  );
}

/** Returns a profile by its id. Sessions of a sub-organization use the profiles of its parent. Throws NOT_FOUND if there is none. */
export async function findProfile(
  { organization, parent }: Context,
  sessionProfileId: string,
  field: string,
): Promise<SessionScope> {
  const owner = organization.profile.parentId === null ? organization : await parent();
  const profile = builtInProfile(sessionProfileId) ?? owner?.records.sessionProfile.get(sessionProfileId);
  if (profile === undefined) throw notFound('session profile', field);
  const { sessionProfileName, scope, expirationSeconds } = profile;
  return { sessionProfileId, sessionProfileName, scope, ...(expirationSeconds !== undefined && { expirationSeconds }) };
}

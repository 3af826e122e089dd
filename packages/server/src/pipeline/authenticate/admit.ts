import { activityByType, ServiceError, signInTypes } from '@countersign/contract';
import type { AuthenticatedRequest, QuotaOwner } from '../../admission/index.ts';
import { effectiveLimits } from '../../config/limits.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { Identified } from '../context.ts';
import type { PipelineServices } from '../services.ts';
import type { Authenticated } from './authenticate.ts';

/** Stage: rate limits, timestamp window and storage quota of an authenticated caller. */
export async function admit(services: PipelineServices, context: Identified): Promise<Identified> {
  const { request, authenticated } = context;
  const { resource, action } = request.definition.policy;
  const isLogin = resource === 'AUTH' && action === 'CREATE';
  request.admitted.authenticated({ ...verifiedUser(authenticated), isLogin });
  requireLive(request.timestampMs, authenticated.atMs);
  services.statistics.sessions.used(authenticated.home, authenticated.caller.credentialId, request.stamped);
  const stamped = { type: request.version.type, publicKey: authenticated.proof?.publicKey };
  services.admission.storage.require(quotaOwner(services, authenticated, stamped));
  return context;
}

/** The user whose stamp verified, as admission counts users. */
export function verifiedUser({ caller, home }: Pick<Authenticated, 'caller' | 'home'>): Omit<AuthenticatedRequest, 'isLogin'> {
  const { organizationId, userId, credentialId } = caller;
  return { tenantId: home.profile.parentId ?? organizationId, organizationId, userId, credentialId };
}

const MAX_AGE_MS = 60 * 60 * 1000;
const MAX_AHEAD_MS = 5 * 60 * 1000;

/** D06: at most an hour old, at most five minutes ahead, and nothing but digits. */
export function requireLive(timestampMs: string, nowMs: number): void {
  const refuse = (message: string) => new ServiceError('TIMESTAMP_INVALID', message);
  if (!/^\d{1,15}$/.test(timestampMs)) {
    throw refuse('timestampMs must be the time of the request in milliseconds since 1970, as a string of digits.');
  }
  const time = Number(timestampMs);
  if (time < nowMs - MAX_AGE_MS) throw refuse('timestampMs is more than an hour old. Stamp a new request with the current time.');
  if (time > nowMs + MAX_AHEAD_MS) throw refuse('timestampMs is more than five minutes ahead. Check the clock of the caller.');
}

/** Activities that are small and end something. */
const ending: ReadonlySet<string> = new Set(['freeze', 'rejectActivity', 'endSessions', 'disablePrivateKey']);

/** Whether an activity must be possible when the quota is used up: it signs a user in, or removes or ends something. */
function isEssential(type: string): boolean {
  const definition = activityByType.get(type)?.definition;
  if (definition === undefined) return false;
  const { name, policy, subject } = definition;
  return policy.action === 'DELETE' || (subject === 'sign-in' && policy.resource === 'AUTH') || ending.has(name);
}

const publicTypes: ReadonlySet<string> = new Set(signInTypes);

/** The type of an activity, and the API key that stamped it. */
interface StampedType {
  readonly type: string;
  readonly publicKey: string | undefined;
}

/** The organization whose storage quota an activity uses: that of the user who sent it. */
export function quotaOwner(
  { limits, vault }: Pick<PipelineServices, 'limits' | 'vault'>,
  { target, home }: { readonly target: Snapshot; readonly home: Snapshot },
  { type, publicKey }: StampedType,
): QuotaOwner {
  return {
    target,
    home,
    limits: effectiveLimits(home, limits),
    isEssential: () => isEssential(type),
    isPublic: () => publicTypes.has(type) && publicKey === vault.service.signInKey(home.id),
  };
}

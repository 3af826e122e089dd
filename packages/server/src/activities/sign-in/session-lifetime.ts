import { defaults, ServiceError } from '@countersign/contract';
import { isSession } from '@countersign/judgement';
import type { SessionOrigin, SessionScope } from '../../organizations/records.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { PlanContext } from '../../pipeline/plan/executor.ts';
import { invalidField } from '../../wire/refuse.ts';

const FEATURE = 'FEATURE_NAME_MAX_SESSION_SECONDS';

/** What opens a session: the stamp of the request, or a proof of the user's identity in the request. */
export type SessionProof =
  | 'STAMP'
  | { readonly method: 'OAUTH'; readonly providerId: string }
  | { readonly method: 'EMAIL' | 'SMS' };

/** Returns the origin of a session. Omits deleted credentials, because no later change can affect them. */
export function originOf(context: PlanContext, proof: SessionProof): SessionOrigin {
  const { organization, submittedWith, nowMs } = context;
  if (proof !== 'STAMP') {
    const openedBy = proof.method === 'OAUTH' ? [proof.providerId] : [];
    return { signedInAtMs: nowMs, method: proof.method, openedBy };
  }
  const key = organization.apiKeys.get(submittedWith);
  if (organization.authenticators.has(submittedWith))
    return { signedInAtMs: nowMs, method: 'PASSKEY', openedBy: [submittedWith] };
  // The credential may have been deleted while the activity was pending, and with it the limits of the session.
  if (key === undefined)
    throw new ServiceError('PRECONDITION_FAILED', 'The credential that asked for the session is gone. Sign in again.');
  if (!isSession(key)) return { signedInAtMs: nowMs, method: 'API_KEY', openedBy: [submittedWith] };
  const origin: SessionOrigin = key.origin ?? { signedInAtMs: key.createdAtMs, method: 'SESSION', openedBy: [] };
  return { ...origin, openedBy: [submittedWith, ...origin.openedBy.filter((id) => isHeld(organization, id))] };
}

/**
 * Makes all sessions of a sign-in end with this one.
 * SECURITY: D231: a session can open others without any policy. A key must not act for a person longer than the person was shown.
 */
export function ending({ nowMs }: Pick<PlanContext, 'nowMs'>, origin: SessionOrigin, expirationSeconds: string): SessionOrigin {
  return { ...origin, endsAtMs: nowMs + Number(expirationSeconds) * 1000 };
}

function isHeld({ apiKeys, authenticators, records }: Snapshot, id: string): boolean {
  return apiKeys.has(id) || authenticators.has(id) || records.oauthProvider.has(id);
}

/**
 * Returns the lifetime of a session in seconds.
 * SECURITY: a session that was opened with another session ends no later than the first session of the sign-in can end, so that a stolen
 * session cannot be renewed indefinitely. No session outlives the expiring API key that opened it. A78: if the sign-in has a fixed end, all
 * its sessions end with it.
 */
export async function sessionSeconds(
  context: PlanContext,
  origin: SessionOrigin,
  asked: string | undefined,
  profile?: Pick<SessionScope, 'expirationSeconds'>,
): Promise<string> {
  const { organization, nowMs } = context;
  const greatest = await greatestLifetime(context);
  // Clients send their default lifetime together with a profile. The lifetime of the profile takes precedence.
  if (profile?.expirationSeconds === undefined) requireWithin(greatest, asked);
  const wanted = Number(profile?.expirationSeconds ?? asked ?? defaults.sessionSeconds);
  const endsAtMs = [
    origin.signedInAtMs + greatest.seconds * 1000,
    origin.endsAtMs ?? Number.POSITIVE_INFINITY,
    ...origin.openedBy.flatMap((id) => endOf(organization, id)),
  ];
  const left = Math.floor((Math.min(...endsAtMs) - nowMs) / 1000);
  if (left < 1) {
    throw new ServiceError(
      'PRECONDITION_FAILED',
      `Sessions last ${greatest.seconds} seconds from the sign-in at most (${greatest.setting}), and this one has come to its end. Sign in again.`,
    );
  }
  return String(Math.min(wanted, greatest.seconds, left));
}

/** Expiry of a registered API key. Empty for sessions and for credentials that do not expire. */
function endOf({ apiKeys }: Snapshot, id: string): number[] {
  const key = apiKeys.get(id);
  if (key?.expirationSeconds === undefined || isSession(key)) return [];
  return [key.createdAtMs + Number(key.expirationSeconds) * 1000];
}

/** Maximum lifetime of a session, and the setting that defines it. */
export interface GreatestLifetime {
  readonly seconds: number;
  readonly setting: string;
}

/** Returns the lowest maximum that the operator, the organization or its parent has set. */
export async function greatestLifetime({
  organization,
  limits,
  parent,
}: Pick<PlanContext, 'organization' | 'limits' | 'parent'>): Promise<GreatestLifetime> {
  const bounds = [organization, await parent()].flatMap((each) => {
    const value = each?.profile.features.find(({ name }) => name === FEATURE)?.value;
    return value === undefined ? [] : [{ seconds: Number(value), setting: FEATURE }];
  });
  const operators = { seconds: limits.maxSessionSeconds, setting: 'maxSessionSeconds' };
  return bounds.reduce((least, each) => (each.seconds < least.seconds ? each : least), operators);
}

/** Rejects a lifetime above the maximum. */
export function requireWithin({ seconds, setting }: GreatestLifetime, asked: string | undefined): void {
  if (asked === undefined || Number(asked) <= seconds) return;
  throw invalidField('expirationSeconds', `must be at most ${seconds}, the greatest lifetime of a session here (${setting})`);
}

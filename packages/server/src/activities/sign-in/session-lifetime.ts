import { defaults, ServiceError } from '@countersign/contract';
import { isSession } from '@countersign/judgement';
import type { SessionOrigin, SessionScope } from '../../organizations/records.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';
import type { PlanContext } from '../../pipeline/plan/executor.ts';
import { invalidField } from '../../wire/refuse.ts';

const FEATURE = 'FEATURE_NAME_MAX_SESSION_SECONDS';

/** What a session is opened with: the stamp of the request, or the user's own proof in it. */
export type SessionProof =
  | 'STAMP'
  | { readonly method: 'OAUTH'; readonly providerId: string }
  | { readonly method: 'EMAIL' | 'SMS' };

/** Where a session comes from. What it rests on and is gone by now is left out: nothing can happen to that any more. */
export function originOf(context: PlanContext, proof: SessionProof): SessionOrigin {
  const { organization, submittedWith, nowMs } = context;
  if (proof !== 'STAMP') {
    const openedBy = proof.method === 'OAUTH' ? [proof.providerId] : [];
    return { signedInAtMs: nowMs, method: proof.method, openedBy };
  }
  const key = organization.apiKeys.get(submittedWith);
  if (organization.authenticators.has(submittedWith))
    return { signedInAtMs: nowMs, method: 'PASSKEY', openedBy: [submittedWith] };
  // It may have gone while the activity waited for approvals, and the limits of the session with it.
  if (key === undefined)
    throw new ServiceError('PRECONDITION_FAILED', 'The credential that asked for the session is gone. Sign in again.');
  if (!isSession(key)) return { signedInAtMs: nowMs, method: 'API_KEY', openedBy: [submittedWith] };
  const origin: SessionOrigin = key.origin ?? { signedInAtMs: key.createdAtMs, method: 'SESSION', openedBy: [] };
  return { ...origin, openedBy: [submittedWith, ...origin.openedBy.filter((id) => isHeld(organization, id))] };
}

/**
 * A sign-in whose sessions all end with this one.
 * SECURITY: D231: a session may open others without any policy. Where a person was told how long a key acts for them, it acts no longer.
 */
export function ending({ nowMs }: Pick<PlanContext, 'nowMs'>, origin: SessionOrigin, expirationSeconds: string): SessionOrigin {
  return { ...origin, endsAtMs: nowMs + Number(expirationSeconds) * 1000 };
}

function isHeld({ apiKeys, authenticators, records }: Snapshot, id: string): boolean {
  return apiKeys.has(id) || authenticators.has(id) || records.oauthProvider.has(id);
}

/**
 * How long a session lasts, in seconds.
 * SECURITY: one that is opened with a session ends when the first of them would have to end at the latest, so a stolen session cannot be
 * renewed for ever; and none outlives the expiring API key that it rests on. A78: what rests on a sign-in that ends ends with it.
 */
export async function sessionSeconds(
  context: PlanContext,
  origin: SessionOrigin,
  asked: string | undefined,
  profile?: Pick<SessionScope, 'expirationSeconds'>,
): Promise<string> {
  const { organization, nowMs } = context;
  const greatest = await greatestLifetime(context);
  // A client sends its own default beside a profile; what the profile says counts.
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

/** When an API key ends that its holder registered; nothing for what does not end by itself. */
function endOf({ apiKeys }: Snapshot, id: string): number[] {
  const key = apiKeys.get(id);
  if (key?.expirationSeconds === undefined || isSession(key)) return [];
  return [key.createdAtMs + Number(key.expirationSeconds) * 1000];
}

/** The greatest lifetime of a session, and the setting that says so. */
export interface GreatestLifetime {
  readonly seconds: number;
  readonly setting: string;
}

/** The least of what the operator, the organization and its parent set. */
export async function greatestLifetime({
  organization,
  limits,
  parent,
}: Pick<PlanContext, 'organization' | 'limits' | 'parent'>): Promise<GreatestLifetime> {
  const said = [organization, await parent()].flatMap((each) => {
    const value = each?.profile.features.find(({ name }) => name === FEATURE)?.value;
    return value === undefined ? [] : [{ seconds: Number(value), setting: FEATURE }];
  });
  const operators = { seconds: limits.maxSessionSeconds, setting: 'maxSessionSeconds' };
  return said.reduce((least, each) => (each.seconds < least.seconds ? each : least), operators);
}

/** Refuses a lifetime that is greater than it may be. */
export function requireWithin({ seconds, setting }: GreatestLifetime, asked: string | undefined): void {
  if (asked === undefined || Number(asked) <= seconds) return;
  throw invalidField('expirationSeconds', `must be at most ${seconds}, the greatest lifetime of a session here (${setting})`);
}

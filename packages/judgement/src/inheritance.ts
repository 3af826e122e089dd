import { isSession } from './credential-strength.ts';
import type { Approvable } from './judgement.ts';
import { liveApprovals } from './people.ts';
import type { ApiKeyRecord, SessionScope } from './records.ts';
import { rulesOf } from './rules.ts';

/** The limits that a new API key gets from the credential that submitted the request. Empty without such limits. */
export interface InheritedLimits {
  /** When it must have expired. */
  readonly endsAtMs?: number;
  readonly limitedTo?: SessionScope;
  /** The API keys whose IP allowlists apply to it. Most of them have none. */
  readonly listsOf: readonly string[];
}

const unlimited: InheritedLimits = { listsOf: [] };

/**
 * The limits of a new API key of a user.
 * INVARIANT: D282: with a limited credential alone, a user does not create a stronger one for themselves. A passkey of the user, or the
 * approval of another person, is stronger proof and lifts the limits. Keys for other users are authorized as what they are: theirs.
 */
export function inheritedLimits(approvable: Approvable, userId: string): InheritedLimits {
  const [submitted] = approvable.votes;
  if (!rulesOf(approvable).credentialsInheritLimits || submitted?.userId !== userId) return unlimited;
  const { apiKeys, authenticators } = approvable.organization;
  const isStronger = liveApprovals(approvable).some(
    ({ user, credential }) => user.id !== userId || authenticators.has(credential.id),
  );
  if (isStronger) return unlimited;
  const { credentialId } = submitted;
  const key = apiKeys.get(credentialId);
  // A credential that is gone passes nothing on.
  if (key === undefined) return authenticators.has(credentialId) ? unlimited : { endsAtMs: approvable.nowMs, listsOf: [] };
  const openedBy = key.origin?.openedBy ?? [];
  const ends = [
    ...fixedEnd(key),
    ...openedBy.flatMap((id) => {
      const opener = apiKeys.get(id);
      return opener === undefined || isSession(opener) ? [] : endOf(opener);
    }),
  ];
  return {
    ...(ends.length > 0 && { endsAtMs: Math.min(...ends) }),
    ...(key.limitedTo && { limitedTo: key.limitedTo }),
    listsOf: [credentialId, ...openedBy],
  };
}

/**
 * The end of a credential, if it was set on purpose: of an expiring API key, of a session with a profile, and of a sign-in that cannot be
 * renewed. Every session has an end, and an ordinary one may create lasting keys if its user may.
 */
function fixedEnd(key: ApiKeyRecord): number[] {
  const signIn = key.origin?.endsAtMs === undefined ? [] : [key.origin.endsAtMs];
  return isSession(key) && key.limitedTo === undefined ? signIn : [...signIn, ...endOf(key)];
}

function endOf({ createdAtMs, expirationSeconds }: ApiKeyRecord): number[] {
  return expirationSeconds === undefined ? [] : [createdAtMs + Number(expirationSeconds) * 1000];
}

/** The lifetime of a new API key: as requested, or until the inherited end. Undefined if it does not expire; 0 if nothing is left. */
export function inheritedSeconds(
  asked: string | undefined,
  { endsAtMs }: Pick<InheritedLimits, 'endsAtMs'>,
  nowMs: number,
): string | undefined {
  if (endsAtMs === undefined) return asked;
  const left = Math.max(0, Math.floor((endsAtMs - nowMs) / 1000));
  return asked !== undefined && Number(asked) <= left ? asked : String(left);
}

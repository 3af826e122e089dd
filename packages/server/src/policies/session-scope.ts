import { activityKind } from '@countersign/contract';
import { evaluateOver } from './activity-view.ts';
import type { Approvable } from './judgement.ts';

/** Activities on these decide who may act, with what, and under which rules. */
const AUTHORITY: readonly string[] = [
  'CONFIG',
  'CREDENTIAL',
  'INVITATION',
  'IP_ALLOWLIST',
  'MFA_POLICY',
  'ORGANIZATION',
  'POLICY',
  'RECOVERY',
  'SESSION_PROFILE',
  'USER',
];

/**
 * Why the profile of a session keeps it from an activity, as a whole message; undefined where it does not, and for credentials that no
 * profile limits.
 * SECURITY: what the scope has no answer to is outside of it. What decides who may act must be named by the scope: with
 * `activity.action != 'EXPORT'` alone, a session could make a credential that no profile limits and export with that.
 */
export function scopeRefusal(
  { organization, ...activity }: Pick<Approvable, 'organization' | 'definition' | 'type' | 'params'>,
  credentialId: string | undefined,
): string | undefined {
  const limit = organization.apiKeys.get(credentialId ?? '')?.limitedTo;
  if (limit === undefined) return undefined;
  const { sessionProfileName: name, scope } = limit;
  if (evaluateOver(activity, scope) !== true)
    return `request not authorized: the profile of this session ("${name}") does not allow it. Sign in without the profile, or with another.`;
  if (changesAuthority(activity) && !names(scope, activity))
    return `request not authorized: this decides who may act, and the scope of this session's profile ("${name}") does not name it. Sign in without the profile.`;
  return undefined;
}

type Activity = Pick<Approvable, 'definition' | 'type'>;

function changesAuthority({ definition: { rootQuorumOnly, policy } }: Activity): boolean {
  return rootQuorumOnly || AUTHORITY.includes(policy.resource);
}

function names(scope: string, { definition, type }: Activity): boolean {
  const words = [definition.policy.resource, activityKind(type), type];
  return words.some((word) => new RegExp(`\\b${word}\\b`).test(scope));
}

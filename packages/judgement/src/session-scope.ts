import { evaluateOver } from './activity-view.ts';
import { decidesWhoActs, speaksOfActivity } from './authority-activities.ts';
import type { Approvable } from './judgement.ts';

/**
 * Why the profile of a session does not allow an activity, as a complete message. Undefined if it does, and for credentials without a
 * profile.
 * SECURITY: an activity is out of scope if the scope cannot be evaluated for it. Activities that decide who may act must be named by the
 * scope: with `activity.action != 'EXPORT'` alone, a session could create a credential without a profile and export with that.
 */
export function scopeRefusal(
  { organization, definition, type, params }: Pick<Approvable, 'organization' | 'definition' | 'type' | 'params'>,
  credentialId: string | undefined,
): string | undefined {
  const limit = organization.apiKeys.get(credentialId ?? '')?.limitedTo;
  if (limit === undefined) return undefined;
  const activity = { definition, type, params };
  const { sessionProfileName: name, scope } = limit;
  if (evaluateOver(activity, scope) !== true)
    return `request not authorized: the profile of this session ("${name}") does not allow it. Sign in without the profile, or with another.`;
  if (decidesWhoActs(activity) && !speaksOfActivity(scope, activity))
    return `request not authorized: this decides who may act, and the scope of this session's profile ("${name}") does not name it. Sign in without the profile.`;
  return undefined;
}

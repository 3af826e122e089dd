import { evaluateOver } from './activity-view.ts';
import { decidesWhoActs, speaksOfActivity } from './authority-activities.ts';
import type { Approvable } from './judgement.ts';

/**
 * Why the profile of a session keeps it from an activity, as a whole message; undefined where it does not, and for credentials that no
 * profile limits.
 * SECURITY: what the scope has no answer to is outside of it. What decides who may act must be named by the scope: with
 * `activity.action != 'EXPORT'` alone, a session could make a credential that no profile limits and export with that.
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

import { activities, builtInProfiles, ServiceError } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { limitExceeded, nameTaken } from '../../wire/refuse.ts';
import { activityExpressionWarnings, requireActivityExpression } from '../policies/activity-expression.ts';
import { greatestLifetime, requireWithin } from './session-lifetime.ts';

export const createSessionProfile = execute(activities.createSessionProfile, {
  locksOrganization: true,

  async plan(context, params) {
    const { organization, limits } = context;
    if (organization.profile.parentId !== null) {
      throw new ServiceError(
        'ACTIVITY_CALLER_INVALID',
        'invalid activity caller: only a top-level organization has session profiles. Sessions of a sub-organization use those of its parent.',
      );
    }
    const { sessionProfileName, scope, expirationSeconds } = params;
    const profiles = organization.records.sessionProfile;
    if (profiles.size >= limits.maxSessionProfiles)
      throw limitExceeded('session profiles', limits.maxSessionProfiles, 'maxSessionProfiles');
    if (
      [...profiles.values(), ...Object.values(builtInProfiles)].some((other) => other.sessionProfileName === sessionProfileName)
    )
      throw nameTaken('session profile', 'sessionProfileName');
    requireActivityExpression(scope, 'scope');
    requireWithin(await greatestLifetime(context), expirationSeconds);
    return { intent: params, subject: {}, prepared: params };
  },

  async run({ newId, nowMs }, { prepared: { sessionProfileName, scope, expirationSeconds, notes } }) {
    const sessionProfileId = newId();
    const body = {
      sessionProfileName,
      scope,
      ...(expirationSeconds !== undefined && { expirationSeconds }),
      ...(notes !== undefined && { notes }),
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
    return {
      result: { sessionProfileId },
      changes: [{ op: 'putRecord', kind: 'sessionProfile', id: sessionProfileId, body }],
      warnings: activityExpressionWarnings(scope, 'SESSION_SCOPE'),
    };
  },
});

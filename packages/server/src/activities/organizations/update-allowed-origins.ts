import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { withFeature, withoutFeature } from './features.ts';
import { readOrigins } from './origins.ts';

const name = 'FEATURE_NAME_WEBAUTHN_ORIGINS';

export const updateAllowedOrigins = execute(activities.updateAllowedOrigins, {
  locksOrganization: true,

  // Only passkeys authenticate an origin, so this is the same setting as the feature for passkey origins.
  async plan({ organization }, params) {
    const { features } = organization.profile;
    const origins = readOrigins(params.allowedOrigins, (index) => `allowedOrigins.${index}`);
    const prepared =
      origins.length === 0 ? withoutFeature(features, name) : withFeature(features, { name, value: origins.join(',') });
    return { intent: params, subject: {}, prepared };
  },

  async run({ organization, nowMs }, { prepared: features }) {
    const body = { ...organization.profile, features, updatedAtMs: nowMs };
    return { result: {}, changes: [{ op: 'putRecord', kind: 'organization', id: organization.id, body }] };
  },
});

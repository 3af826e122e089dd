import { activities, maskFeature } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { notFound } from '../../wire/refuse.ts';
import { withoutFeature } from './features.ts';

export const removeOrganizationFeature = execute(activities.removeOrganizationFeature, {
  locksOrganization: true,

  async plan({ organization }, params) {
    const before = organization.profile.features;
    const features = withoutFeature(before, params.name);
    if (features.length === before.length) throw notFound('feature', 'name');
    return { intent: params, subject: {}, prepared: features };
  },

  async run({ organization, nowMs }, { prepared: features }) {
    const body = { ...organization.profile, features, updatedAtMs: nowMs };
    return {
      result: { features: features.map(maskFeature) },
      changes: [{ op: 'putRecord', kind: 'organization', id: organization.id, body }],
    };
  },
});

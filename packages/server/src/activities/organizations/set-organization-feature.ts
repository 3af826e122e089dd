import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/executor.ts';
import { readFeature, withFeature } from './features.ts';

export const setOrganizationFeature = execute(activities.setOrganizationFeature, {
  exclusive: true,

  async plan({ organization }, params) {
    const features = withFeature(organization.organization.features, readFeature(params.name, params.value));
    return { intent: params, subject: {}, prepared: features };
  },

  async run({ organization, nowMs }, { prepared: features }) {
    const body = { ...organization.organization, features, updatedAtMs: nowMs };
    return { result: { features }, changes: [{ op: 'putRecord', kind: 'organization', id: organization.id, body }] };
  },
});

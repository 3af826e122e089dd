import { activities, maskFeature } from '@countersign/contract';
import { NO_BLIND_HASHES } from '@countersign/judgement';
import { requireAllowedAddress } from '../../notify/webhooks/endpoint.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { requireGranted } from '../sign-in/features.ts';
import { findProfile } from '../sign-in/session-scope.ts';
import { readFeature, withFeature } from './features.ts';
import { requireKeys } from './hash-switch.ts';

export const setOrganizationFeature = execute(activities.setOrganizationFeature, {
  locksOrganization: true,

  async requirePossible({ webhookEgress }, { name, value }) {
    if (name === 'FEATURE_NAME_WEBHOOK') await requireAllowedAddress(webhookEgress, value, 'value');
  },

  async plan(context, params) {
    const feature = readFeature(params.name, params.value, context);
    const { organization } = context;
    if (feature.name === 'FEATURE_NAME_SESSION_PROFILES_REQUIRED' && feature.value !== undefined)
      await findProfile(context, feature.value, 'value');
    if (feature.name === NO_BLIND_HASHES) await requireKeys(context, feature.value ?? '');
    const features = withFeature(organization.profile.features, feature);
    return { intent: params, subject: {}, prepared: { name: params.name, feature, features } };
  },

  async run(context, { prepared: { name, feature, features } }) {
    const { organization, webhookEgress, nowMs } = context;
    await requireGranted(context, name);
    if (feature.name === 'FEATURE_NAME_WEBHOOK') await requireAllowedAddress(webhookEgress, feature.value ?? '', 'value');
    const body = { ...organization.profile, features, updatedAtMs: nowMs };
    return {
      result: { features: features.map(maskFeature) },
      changes: [{ op: 'putRecord', kind: 'organization', id: organization.id, body }],
    };
  },
});

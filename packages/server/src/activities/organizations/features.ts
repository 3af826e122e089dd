import { type FeatureName, ServiceError } from '@countersign/contract';
import type { Feature } from '../../organizations/records.ts';
import { readWebhookUrl } from '../../webhooks/endpoint.ts';
import type { Reachable } from '../../webhooks/reachable.ts';
import { invalidField } from '../../wire/refuse.ts';
import { readOrigins } from './origins.ts';

/** A shorter session would be over before its first request. */
const MIN_SECONDS = 60;

/** How the value of each feature that this server offers is read. */
const offered: { readonly [N in FeatureName]?: (value: string, reachable: Reachable) => string } = {
  FEATURE_NAME_EMAIL_AUTH: readSwitch,
  FEATURE_NAME_EMAIL_RECOVERY: readSwitch,
  FEATURE_NAME_OTP_EMAIL_AUTH: readSwitch,
  FEATURE_NAME_SMS_AUTH: readSwitch,
  FEATURE_NAME_SESSION_SELF_SERVICE: readSwitch,
  FEATURE_NAME_QUERY_TIMESTAMPS: readSwitch,
  FEATURE_NAME_MAX_SESSION_SECONDS: readSeconds,
  FEATURE_NAME_WEBAUTHN_ORIGINS: (value) =>
    readOrigins(
      value.split(',').map((origin) => origin.trim()),
      () => 'value',
    ).join(','),
  FEATURE_NAME_WEBHOOK: (value, reachable) => readWebhookUrl(reachable, value, 'value'),
};

/** A feature as it will be recorded. Throws NOT_OFFERED for one that this server does not have: it would do nothing. */
export function readFeature(name: FeatureName, value: string, reachable: Reachable): Feature {
  const read = offered[name];
  if (read === undefined) {
    throw new ServiceError('NOT_OFFERED', `This server has no ${name}. It offers ${Object.keys(offered).join(', ')}.`, {
      violations: [{ field: 'name', description: 'This server does not offer it.' }],
    });
  }
  const kept = read(value, reachable);
  return kept === '' ? { name } : { name, value: kept };
}

/** The features with one of them set anew, in the order they were first set. */
export function withFeature(features: readonly Feature[], feature: Feature): Feature[] {
  return features.some(({ name }) => name === feature.name)
    ? features.map((each) => (each.name === feature.name ? feature : each))
    : [...features, feature];
}

/** The features without one of them. */
export function withoutFeature(features: readonly Feature[], removed: string): Feature[] {
  return features.filter(({ name }) => name !== removed);
}

/** A period that the server counts in whole seconds. */
function readSeconds(value: string): string {
  if (/^[1-9]\d{1,8}$/.test(value) && Number(value) >= MIN_SECONDS) return value;
  throw invalidField('value', `must be a whole number of seconds, at least ${MIN_SECONDS}`);
}

/** A switch is on by being there: it has no value. */
function readSwitch(value: string): string {
  if (value === '' || value === 'true') return '';
  throw invalidField('value', 'must be empty: this feature is a switch; remove_organization_feature turns it off');
}

import { type FeatureName, ServiceError } from '@countersign/contract';
import { HASH_SWITCH_FORM, parseHashSwitch, showHashSwitch } from '@countersign/judgement';
import { isAaguid } from '../../auth/webauthn/authenticator-model.ts';
import { readWebhookUrl } from '../../notify/webhooks/endpoint.ts';
import type { Feature } from '../../organizations/records.ts';
import type { PlanContext } from '../../pipeline/plan/executor.ts';
import { invalidField } from '../../wire/refuse.ts';
import { readOrigins } from './origins.ts';

/** A shorter session would expire before its first request. */
const MIN_SECONDS = 60;
/** Bounds of the interval between two mails to the same user. */
const LEAST_MINUTES = 5;
const MOST_MINUTES = 1440;

type Context = Pick<PlanContext, 'limits' | 'webhookEgress'>;

/** Reads the value of each feature that this server offers. */
const offered: { readonly [N in FeatureName]?: (value: string, context: Context) => string } = {
  FEATURE_NAME_EMAIL_AUTH: readSwitch,
  FEATURE_NAME_EMAIL_RECOVERY: readSwitch,
  FEATURE_NAME_OTP_EMAIL_AUTH: readSwitch,
  FEATURE_NAME_SMS_AUTH: readSwitch,
  FEATURE_NAME_SESSION_SELF_SERVICE: readSwitch,
  FEATURE_NAME_QUERY_TIMESTAMPS: readSwitch,
  FEATURE_NAME_QUERY_OPERATIONS: readSwitch,
  FEATURE_NAME_READ_POLICIES: readSwitch,
  // set_organization_feature checks that the wallets and keys exist.
  FEATURE_NAME_NO_BLIND_HASHES: readHashSwitch,
  FEATURE_NAME_MAX_SESSION_SECONDS: readSeconds,
  FEATURE_NAME_WEBAUTHN_ORIGINS: (value) =>
    readOrigins(
      value.split(',').map((origin) => origin.trim()),
      () => 'value',
    ).join(','),
  FEATURE_NAME_WEBAUTHN_USER_VERIFICATION: readUserVerification,
  FEATURE_NAME_WEBAUTHN_AAGUIDS: readAaguids,
  FEATURE_NAME_APPROVAL_MAIL: readMinutes,
  // set_organization_feature checks that the profile exists.
  FEATURE_NAME_SESSION_PROFILES_REQUIRED: (value) => value,
  FEATURE_NAME_WEBHOOK: (value, { webhookEgress }) => readWebhookUrl(webhookEgress, value, 'value'),
};

/** Returns the feature to record. Throws NOT_OFFERED if this server does not offer it. */
export function readFeature(name: FeatureName, value: string, context: Context): Feature {
  const read = offered[name];
  if (read === undefined) {
    throw new ServiceError('NOT_OFFERED', `This server has no ${name}. It offers ${Object.keys(offered).join(', ')}.`, {
      violations: [{ field: 'name', description: 'This server does not offer it.' }],
    });
  }
  const kept = read(value, context);
  return kept === '' ? { name } : { name, value: kept };
}

/** Adds or replaces a feature. Replacing it keeps its position. */
export function withFeature(features: readonly Feature[], feature: Feature): Feature[] {
  return features.some(({ name }) => name === feature.name)
    ? features.map((each) => (each.name === feature.name ? feature : each))
    : [...features, feature];
}

export function withoutFeature(features: readonly Feature[], removed: string): Feature[] {
  return features.filter(({ name }) => name !== removed);
}

/** Reads a duration in whole seconds. */
function readSeconds(value: string): string {
  if (/^[1-9]\d{1,8}$/.test(value) && Number(value) >= MIN_SECONDS) return value;
  throw invalidField('value', `must be a whole number of seconds, at least ${MIN_SECONDS}`);
}

/** Reads the minimum number of minutes between two mails to the same user. */
function readMinutes(value: string): string {
  if (value === '' || (/^[1-9]\d{0,3}$/.test(value) && Number(value) >= LEAST_MINUTES && Number(value) <= MOST_MINUTES))
    return value;
  throw invalidField('value', `must be empty, or a whole number of minutes from ${LEAST_MINUTES} to ${MOST_MINUTES}`);
}

/** A switch is on if it is present. It has no value. */
function readSwitch(value: string): string {
  if (value === '' || value === 'true') return '';
  throw invalidField('value', 'must be empty: this feature has no value; remove_organization_feature turns it off');
}

function readHashSwitch(value: string): string {
  const parsed = parseHashSwitch(value);
  if (parsed === undefined) throw invalidField('value', `must be ${HASH_SWITCH_FORM}`);
  return showHashSwitch(parsed);
}

function readUserVerification(value: string): string {
  if (value === 'required' || value === 'preferred') return value;
  throw invalidField('value', 'must be required or preferred: whether passkeys must verify the person by PIN or biometrics');
}

/** SECURITY: without a root certificate that certifies models, the list would rely on unverified claims of an authenticator. */
function readAaguids(value: string, { limits }: Context): string {
  const aaguids = value.split(',').map((aaguid) => aaguid.trim().toLowerCase());
  if (!aaguids.every(isAaguid))
    throw invalidField(
      'value',
      'must be AAGUIDs of authenticator models, comma-separated, such as 2fc0579f-8113-47ea-b116-bb5a8db9202a',
    );
  if (limits.webauthnAttestationRoots.length > 0) return [...new Set(aaguids)].join(',');
  throw new ServiceError(
    'PRECONDITION_FAILED',
    'The operator of this server trusts no authenticator manufacturer, so no model can be proven. Ask the operator to set webauthnAttestationRoots to the root certificates of the manufacturers.',
  );
}

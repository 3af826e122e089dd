import type { FeatureName } from '@countersign/contract';
import type { Config } from '../../config/settings.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { RelyingParty } from './relying-party.ts';

/** What the operator says about passkeys, for organizations that say nothing themselves. */
export type PasskeyDefaults = Pick<Config, 'webauthnOrigins' | 'webauthnUserVerification'>;

/** What an organization demands of passkeys, when they are registered and each time they stamp. */
export interface PasskeyRules {
  readonly allowedOrigins: RelyingParty['allowedOrigins'];
  readonly requireUserVerification: boolean;
  /** The models that may be registered, by AAGUID in its text form; undefined for any. */
  readonly aaguids: readonly string[] | undefined;
}

/**
 * The passkey rules of an organization. Without rules, a sub-organization uses those of its parent, and then those of the operator.
 * INVARIANT: registration and stamping both ask here, so that no passkey is registered under a looser rule than it is used under.
 */
export function passkeyRules(organization: Snapshot, parent: Snapshot | undefined, defaults: PasskeyDefaults): PasskeyRules {
  const say = (feature: FeatureName) => featureValue(organization, feature) ?? (parent && featureValue(parent, feature));
  const origins = say('FEATURE_NAME_WEBAUTHN_ORIGINS')?.split(',') ?? defaults.webauthnOrigins;
  const verification = say('FEATURE_NAME_WEBAUTHN_USER_VERIFICATION') ?? defaults.webauthnUserVerification;
  return {
    allowedOrigins: origins.length === 0 ? 'of-rp-id' : origins.map((origin) => origin.trim()),
    requireUserVerification: verification !== 'preferred',
    aaguids: say('FEATURE_NAME_WEBAUTHN_AAGUIDS')?.split(','),
  };
}

function featureValue({ profile: { features } }: Snapshot, feature: FeatureName): string | undefined {
  return features.find(({ name }) => name === feature)?.value;
}

import { type AuthenticationType, activities } from '@countersign/contract';
import { evaluateOver } from './activity-view.ts';
import { isAuthorityActivity, mentions } from './authority-activities.ts';
import { type StrengthName, strengths } from './credential-strength.ts';
import { credentialsOfUser } from './credentials.ts';
import type { Approvable } from './judgement.ts';
import { metMethods } from './mfa-factors.ts';
import type { AuthenticationMethod, MfaPolicyRecord } from './records.ts';
import { rulesOf } from './rules.ts';

/** How far the credentials with which a user approved meet one of their MFA policies. */
export interface MfaState {
  readonly mfaPolicyId: string;
  readonly policy: MfaPolicyRecord;
  /** The method that met each step. Steps that are not met are left out. */
  readonly satisfiedMethods: readonly AuthenticationMethod[];
  readonly satisfied: boolean;
}

type Activity = Pick<Approvable, 'organization' | 'definition' | 'type' | 'params' | 'rules'>;

/** The MFA policies of a user that apply to an activity, in order. `credentialIds` are the credentials with which the user approved it. */
export function mfaStates(activity: Activity, userId: string, credentialIds: readonly string[]): readonly MfaState[] {
  const { organization } = activity;
  const rules = rulesOf(activity);
  return [...credentialsOfUser(organization.records.mfaPolicy, userId)]
    .filter(([, policy]) => isUnder(activity, policy))
    .sort(([, a], [, b]) => a.order - b.order)
    .map(([mfaPolicyId, policy]) => {
      const satisfiedMethods = metMethods(organization, policy.requiredAuthenticationMethods, credentialIds, rules);
      return {
        mfaPolicyId,
        policy,
        satisfiedMethods,
        satisfied: satisfiedMethods.length === policy.requiredAuthenticationMethods.length,
      };
    });
}

/** Whether a user meets all of their MFA policies for an activity. */
export function isMfaComplete(activity: Activity, userId: string, credentialIds: readonly string[]): boolean {
  return mfaStates(activity, userId, credentialIds).every(({ satisfied }) => satisfied);
}

/** Resources whose activities change the credentials of the user that the parameters name. */
const OWN: readonly string[] = ['CREDENTIAL', 'MFA_POLICY', 'RECOVERY', 'USER'];

/**
 * Whether a policy applies to an activity. A condition that cannot be evaluated applies, unless it reads a namespace that the activity does
 * not have.
 * SECURITY: it applies to every change of its user's credentials and MFA policies, regardless of its condition. Otherwise the first factor
 * alone could create a second one, or remove the requirement. It also applies to activities that decide who may act, unless its condition
 * names them. Otherwise the first factor alone could create another user, policy or root quorum to which no MFA policy applies.
 */
function isUnder(activity: Activity, { userId, condition }: MfaPolicyRecord): boolean {
  const { userId: named } = paramsOf(activity);
  if (named === userId && OWN.includes(activity.definition.policy.resource)) return true;
  if (opensSessionOfAnother(activity, userId)) return true;
  const value = evaluateOver(activity, condition);
  const applies = typeof value === 'object' ? value.code !== 'NAMESPACE_ABSENT' : value !== false;
  return applies || (isAuthorityActivity(activity) && !mentions(condition, activity));
}

/** Whether the activity requests a session, with the stamp alone, for another user or for the holder of an e-mail address. */
function opensSessionOfAnother(activity: Activity, userId: string): boolean {
  if (activity.definition.name !== activities.createReadWriteSession.name) return false;
  const { userId: named = userId, email } = paramsOf(activity);
  return named !== userId || email !== undefined;
}

function paramsOf({ params }: Activity): { readonly userId?: unknown; readonly email?: unknown } {
  return (params ?? {}) as { readonly userId?: unknown; readonly email?: unknown };
}

const strengthOfType: Readonly<Record<AuthenticationType, StrengthName>> = {
  AUTHENTICATION_TYPE_PASSKEY: 'PASSKEY',
  AUTHENTICATION_TYPE_API_KEY: 'API_KEY',
  AUTHENTICATION_TYPE_EMAIL_OTP: 'SESSION',
  AUTHENTICATION_TYPE_SMS_OTP: 'SESSION',
  AUTHENTICATION_TYPE_OAUTH: 'SESSION',
  AUTHENTICATION_TYPE_SESSION: 'SESSION',
};

/** The strength of the strongest credential that the policy requires: the weakest method of each step, and the strongest of these. */
export function demandedStrength({
  requiredAuthenticationMethods,
}: Pick<MfaPolicyRecord, 'requiredAuthenticationMethods'>): StrengthName {
  const byStrength = (a: StrengthName, b: StrengthName) => strengths[a] - strengths[b];
  const steps = requiredAuthenticationMethods.map(({ any }) => any.map(({ type }) => strengthOfType[type]).sort(byStrength)[0]);
  return (
    steps
      .filter((step) => step !== undefined)
      .sort(byStrength)
      .at(-1) ?? 'SESSION'
  );
}

import { type AuthenticationType, activities } from '@countersign/contract';
import { evaluateOver } from './activity-view.ts';
import { isAuthorityActivity, namesActivity } from './authority-activities.ts';
import { isSession, type StrengthName, strengths } from './credential-strength.ts';
import { credentialsOfUser } from './credentials.ts';
import type { Approvable } from './judgement.ts';
import type { JudgedOrganization } from './organization.ts';
import type { ApiKeyRecord, AuthenticationMethod, MfaPolicyRecord } from './records.ts';

/** How far the credentials with which a user approved meet one of their MFA policies. */
export interface MfaState {
  readonly mfaPolicyId: string;
  readonly policy: MfaPolicyRecord;
  /** The method that met each step. Steps that are not met are left out. */
  readonly satisfiedMethods: readonly AuthenticationMethod[];
  readonly satisfied: boolean;
}

type Activity = Pick<Approvable, 'organization' | 'definition' | 'type' | 'params'>;

/** The MFA policies of a user that apply to an activity, in order. `credentialIds` are the credentials with which the user approved it. */
export function mfaStates(activity: Activity, userId: string, credentialIds: readonly string[]): readonly MfaState[] {
  const { organization } = activity;
  return [...credentialsOfUser(organization.records.mfaPolicy, userId)]
    .filter(([, policy]) => isUnder(activity, policy))
    .sort(([, a], [, b]) => a.order - b.order)
    .map(([mfaPolicyId, policy]) => {
      const satisfiedMethods = metMethods(organization, policy, credentialIds);
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
  return applies || (isAuthorityActivity(activity) && !namesActivity(condition, activity));
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

/**
 * The methods by which credentials meet the steps of a policy.
 * INVARIANT: one credential meets one step. Steps are matched to credentials by augmenting paths, so their order does not matter.
 */
function metMethods(
  organization: JudgedOrganization,
  { requiredAuthenticationMethods: steps }: Pick<MfaPolicyRecord, 'requiredAuthenticationMethods'>,
  credentialIds: readonly string[],
): AuthenticationMethod[] {
  const stepOf = new Map<string, number>();
  const assign = (step: number, tried: Set<string>): boolean =>
    credentialIds.some((id) => {
      if (tried.has(id) || methodOf(organization, steps[step]?.any ?? [], id) === undefined) return false;
      tried.add(id);
      const taken = stepOf.get(id);
      if (taken !== undefined && !assign(taken, tried)) return false;
      stepOf.set(id, step);
      return true;
    });
  steps.forEach((_, step) => {
    assign(step, new Set());
  });
  return [...stepOf]
    .sort(([, a], [, b]) => a - b)
    .flatMap(([id, step]) => methodOf(organization, steps[step]?.any ?? [], id) ?? []);
}

function methodOf(
  organization: JudgedOrganization,
  any: readonly AuthenticationMethod[],
  credentialId: string,
): AuthenticationMethod | undefined {
  return any.find((method) => shows(organization, credentialId, method));
}

/** Whether an approval with a credential proves a method. */
function shows(
  { apiKeys, authenticators }: JudgedOrganization,
  credentialId: string,
  { type, id }: AuthenticationMethod,
): boolean {
  const isNamed = (...ids: (string | undefined)[]) => id === undefined || ids.includes(id);
  if (authenticators.has(credentialId)) return type === 'AUTHENTICATION_TYPE_PASSKEY' && isNamed(credentialId);
  const key = apiKeys.get(credentialId);
  if (key === undefined) return false;
  if (!isSession(key)) return type === 'AUTHENTICATION_TYPE_API_KEY' && isNamed(credentialId);
  if (type === 'AUTHENTICATION_TYPE_SESSION') return isNamed(key.limitedTo?.sessionProfileId);
  return type === signedInBy(key) && isNamed(...(key.origin?.openedBy ?? []));
}

const typeOfMethod = {
  EMAIL: 'AUTHENTICATION_TYPE_EMAIL_OTP',
  SMS: 'AUTHENTICATION_TYPE_SMS_OTP',
  OAUTH: 'AUTHENTICATION_TYPE_OAUTH',
} as const;

/** The method that a session proves in addition to itself. Undefined if the session is only a copy of a key. */
function signedInBy({ origin }: ApiKeyRecord): AuthenticationType | undefined {
  return origin === undefined
    ? undefined
    : (typeOfMethod as Partial<Record<typeof origin.method, AuthenticationType>>)[origin.method];
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

/** Whether a user could still meet a policy without some credentials. Each step needs a separate credential. */
export function isMeetable(
  organization: JudgedOrganization,
  { userId, requiredAuthenticationMethods }: Pick<MfaPolicyRecord, 'userId' | 'requiredAuthenticationMethods'>,
  without: ReadonlySet<string> = new Set(),
): boolean {
  const { apiKeys, authenticators, users, records } = organization;
  const heldIn = <T extends { readonly userId: string }>(all: ReadonlyMap<string, T>) =>
    [...credentialsOfUser(all, userId)].filter(([id]) => !without.has(id));
  const linked = heldIn(records.oauthProvider).map(([id]) => id);
  const user = users.get(userId);
  /** Any number of sessions can be opened when they are needed. */
  const opens: Readonly<Partial<Record<AuthenticationType, (id: string | undefined) => boolean>>> = {
    AUTHENTICATION_TYPE_SESSION: () => true,
    AUTHENTICATION_TYPE_EMAIL_OTP: () => user?.userEmail !== undefined,
    AUTHENTICATION_TYPE_SMS_OTP: () => user?.userPhoneNumber !== undefined,
    AUTHENTICATION_TYPE_OAUTH: (id) => (id === undefined ? linked.length > 0 : linked.includes(id)),
  };
  const fixed = requiredAuthenticationMethods.filter(({ any }) => !any.some(({ type, id }) => opens[type]?.(id)));
  const keys = heldIn(apiKeys).filter(([, key]) => !isSession(key) && key.restrictedTo === undefined);
  const credentialIds = [...heldIn(authenticators), ...keys].map(([id]) => id);
  return metMethods(organization, { requiredAuthenticationMethods: fixed }, credentialIds).length === fixed.length;
}

import type { AuthenticationType } from '@countersign/contract';
import { isSession } from './credential-strength.ts';
import { credentialsOfUser } from './credentials.ts';
import type { JudgedOrganization } from './organization.ts';
import type { ApiKeyRecord, AuthenticationMethod, MfaPolicyRecord, OauthProviderRecord } from './records.ts';
import type { Rules } from './rules.ts';

/** A proof that can meet one step of an MFA policy. */
interface Factor {
  /** What the proof goes back to: a passkey, an API key, a linked identity, the mailbox or the phone. */
  readonly root: string;
  proves(method: AuthenticationMethod): boolean;
}

type Steps = MfaPolicyRecord['requiredAuthenticationMethods'];

/** The method that met each step of a policy, given the credentials of the approvals. Steps that are not met are left out. */
export function metMethods(
  organization: JudgedOrganization,
  steps: Steps,
  credentialIds: readonly string[],
  rules: Rules,
): AuthenticationMethod[] {
  const factors = credentialIds.flatMap((id): Factor[] => {
    const root = rules.mfaStepsByRoot ? rootOf(organization, id) : id;
    return root === undefined ? [] : [{ root, proves: (method) => shows(organization, id, method) }];
  });
  return match(steps, factors);
}

/**
 * INVARIANT: one root meets one step, however many sessions were opened with it. Otherwise one stolen credential would be two factors.
 * Steps are matched to roots by augmenting paths, so their order does not matter.
 */
function match(steps: Steps, factors: readonly Factor[]): AuthenticationMethod[] {
  const roots = [...new Set(factors.map(({ root }) => root))];
  const methodOf = (root: string, step: number) =>
    steps[step]?.any.find((method) => factors.some((factor) => factor.root === root && factor.proves(method)));
  const stepOf = new Map<string, number>();
  const assign = (step: number, tried: Set<string>): boolean =>
    roots.some((root) => {
      if (tried.has(root) || methodOf(root, step) === undefined) return false;
      tried.add(root);
      const taken = stepOf.get(root);
      if (taken !== undefined && !assign(taken, tried)) return false;
      stepOf.set(root, step);
      return true;
    });
  steps.forEach((_, step) => {
    assign(step, new Set());
  });
  return [...stepOf].sort(([, a], [, b]) => a - b).flatMap(([root, step]) => methodOf(root, step) ?? []);
}

/**
 * The root of a credential. A session goes back to the credential of its sign-in. All codes by e-mail go back to one mailbox, and all text
 * messages to one phone.
 * SECURITY: undefined for a session of unknown origin, which could be a copy of any other credential. It meets no step.
 */
function rootOf({ apiKeys, authenticators, records }: JudgedOrganization, credentialId: string): string | undefined {
  const key = apiKeys.get(credentialId);
  if (key === undefined || !isSession(key)) return credentialId;
  const last = key.origin?.openedBy.at(-1) ?? '';
  const signIn = apiKeys.get(last);
  switch (key.origin?.method) {
    case 'EMAIL':
    case 'SMS':
      return key.origin.method;
    case 'PASSKEY':
      return authenticators.has(last) ? last : undefined;
    case 'API_KEY':
      return signIn !== undefined && !isSession(signIn) ? last : undefined;
    case 'OAUTH':
      return identityRoot(records.oauthProvider.get(last));
    default:
      return undefined;
  }
}

/** SECURITY: an identity can be linked more than once, for different audiences. One account at its issuer opens sessions with each link. */
function identityRoot(provider: OauthProviderRecord | undefined): string | undefined {
  return provider && JSON.stringify([provider.issuer, provider.subject]);
}

const isNamed = (id: string | undefined, ...ids: (string | undefined)[]) => id === undefined || ids.includes(id);

/**
 * Whether an approval with a credential proves a method.
 * SECURITY: a session never proves PASSKEY or API_KEY, even if one opened it. It is a copy that is easier to steal.
 */
function shows(
  { apiKeys, authenticators }: JudgedOrganization,
  credentialId: string,
  { type, id }: AuthenticationMethod,
): boolean {
  if (authenticators.has(credentialId)) return type === 'AUTHENTICATION_TYPE_PASSKEY' && isNamed(id, credentialId);
  const key = apiKeys.get(credentialId);
  if (key === undefined) return false;
  if (!isSession(key)) return type === 'AUTHENTICATION_TYPE_API_KEY' && isNamed(id, credentialId);
  if (type === 'AUTHENTICATION_TYPE_SESSION') return isNamed(id, key.limitedTo?.sessionProfileId);
  return type === signedInBy(key) && isNamed(id, ...(key.origin?.openedBy ?? []));
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

/** Whether a user could still meet a policy without some credentials. Each step needs a separate root, with or without a session. */
export function isMeetable(
  { apiKeys, authenticators, users, records }: JudgedOrganization,
  { userId, requiredAuthenticationMethods }: Pick<MfaPolicyRecord, 'userId' | 'requiredAuthenticationMethods'>,
  without: ReadonlySet<string> = new Set(),
): boolean {
  const heldIn = <T extends { readonly userId: string }>(all: ReadonlyMap<string, T>) =>
    [...credentialsOfUser(all, userId)].filter(([id]) => !without.has(id));
  const ids = (held: readonly (readonly [string, unknown])[]) => held.map(([id]) => id);
  const user = users.get(userId);
  const keys = heldIn(apiKeys).filter(([, key]) => !isSession(key) && key.restrictedTo === undefined);
  return (
    match(requiredAuthenticationMethods, [
      ...ids(heldIn(authenticators)).map((id) => factor('AUTHENTICATION_TYPE_PASSKEY', id)),
      ...ids(keys).map((id) => factor('AUTHENTICATION_TYPE_API_KEY', id)),
      ...heldIn(records.oauthProvider).map(([id, link]) => factor('AUTHENTICATION_TYPE_OAUTH', id, identityRoot(link))),
      ...(user?.userEmail === undefined ? [] : [factor('AUTHENTICATION_TYPE_EMAIL_OTP', 'EMAIL')]),
      ...(user?.userPhoneNumber === undefined ? [] : [factor('AUTHENTICATION_TYPE_SMS_OTP', 'SMS')]),
    ]).length === requiredAuthenticationMethods.length
  );
}

/** A root that its user holds. The user can open a session with it, and choose the session's profile. `id` is what a method may name. */
function factor(type: AuthenticationType, id: string, root = id): Factor {
  const isProven = (method: AuthenticationMethod) => method.type === type && isNamed(method.id, id);
  return { root, proves: (method) => method.type === 'AUTHENTICATION_TYPE_SESSION' || isProven(method) };
}

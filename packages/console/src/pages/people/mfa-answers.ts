import type { OutputOf } from '@countersign/client';
import type { Queries } from '@countersign/contract';
import type { words } from '../../words/index.ts';

/** An MFA policy as the service shows it. */
export type MfaPolicy = Pick<
  OutputOf<Queries['getMfaPolicies']>['mfaPolicies'][number],
  'mfaPolicyId' | 'mfaPolicyName' | 'condition' | 'requiredAuthenticationMethods'
>;

export type Choice = keyof typeof words.credentials.mfa.choices;
type Factor = keyof typeof words.approvals.factors.names;

/** Conditions that people choose by name. None covers signing in, so that no choice locks a person out of the console. */
export const conditions: Readonly<Record<Choice, string>> = {
  use: "activity.action in ['SIGN', 'EXPORT'] && activity.resource != 'USER'",
  export: "activity.action == 'EXPORT'",
  keys: "activity.resource in ['WALLET', 'PRIVATE_KEY']",
  other: '',
};

/** The choice that a condition is. */
export function choiceOf(condition: string): Choice {
  const found = Object.entries(conditions).find(([name, each]) => name !== 'other' && each === condition);
  return (found?.[0] as Choice | undefined) ?? 'other';
}

/**
 * The factors of a policy that a list of factors can express. Undefined otherwise.
 * SECURITY: D979: a step may name one credential, or have alternatives. A form without a place for them would drop them, so that a stolen
 * credential suffices where another one was needed.
 */
export function plainFactors({
  requiredAuthenticationMethods,
}: Pick<MfaPolicy, 'requiredAuthenticationMethods'>): string[] | undefined {
  const types: string[] = [];
  for (const { any } of requiredAuthenticationMethods) {
    const [only, ...others] = any;
    if (only === undefined || others.length > 0 || only.id !== undefined || types.includes(only.type)) return undefined;
    types.push(only.type);
  }
  return types;
}

export const methodsOf = (factors: readonly string[]) => factors.map((type) => ({ any: [{ type: type as Factor }] }));

interface Answers {
  readonly mfaPolicyName: string;
  readonly condition: string;
  /** Undefined if the policy has steps that the form keeps. */
  readonly factors: readonly string[] | undefined;
}

/** Only what differs from the policy. */
export function changesOf(policy: MfaPolicy, { mfaPolicyName, condition, factors }: Answers) {
  const before = plainFactors(policy);
  const isSame = factors === undefined || (before?.length === factors.length && factors.every((each) => before.includes(each)));
  return {
    ...(mfaPolicyName !== policy.mfaPolicyName && { mfaPolicyName }),
    ...(condition !== policy.condition && { condition }),
    ...(!isSame && factors !== undefined && { requiredAuthenticationMethods: methodsOf(factors) }),
  };
}

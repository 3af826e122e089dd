import { activityKind } from '@countersign/contract';
import type { Approvable } from './judgement.ts';

type Activity = Pick<Approvable, 'definition' | 'type'>;

/** Activities on these resources decide who may act, with which credentials, and under which rules. */
const AUTHORITY: readonly string[] = [
  'CONFIG',
  'CREDENTIAL',
  'INVITATION',
  'IP_ALLOWLIST',
  'MFA_POLICY',
  'ORGANIZATION',
  'POLICY',
  'RECOVERY',
  'SESSION_PROFILE',
  'USER',
  'VELOCITY_CONTROL',
];

/** Whether an activity decides who may act. A user who may do so can bypass every other limit. */
export function isAuthorityActivity({ definition: { rootQuorumOnly, policy } }: Activity): boolean {
  return rootQuorumOnly || AUTHORITY.includes(policy.resource);
}

/** Whether an expression names an activity by its resource, kind or type. */
export function namesActivity(expression: string, { definition, type }: Activity): boolean {
  const words = [definition.policy.resource, activityKind(type), type];
  return words.some((word) => new RegExp(`\\b${word}\\b`).test(expression));
}

import { activities, activityKind } from '@countersign/contract';
import { demandsActivity, mentionsActivity, type ViewedActivity } from './activity-view.ts';
import type { Approvable } from './judgement.ts';
import { rulesOf } from './rules.ts';

type Activity = Pick<Approvable, 'definition' | 'type' | 'rules'>;

/** Activities on these resources decide who may act, with which credentials, and under which rules. */
const AUTHORITY: readonly string[] = [
  'CONFIG',
  'CREDENTIAL',
  'FREEZE',
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

/**
 * Policies trust these records: a changed contact, token or interface makes an existing policy allow other transactions. INSTALLATION
 * creates organizations with users of the caller's choice.
 */
const TRUSTED: readonly string[] = ['CONTACT', 'INSTALLATION', 'SMART_CONTRACT_INTERFACE', 'TOKEN'];

/** Policies select keys by tag and wallets by name. Other activities on these resources give nobody a right to an existing key. */
const TRUSTED_NAMES: readonly string[] = [
  activities.createPrivateKeyTag.name,
  activities.deletePrivateKeyTags.name,
  activities.updatePrivateKeyTag.name,
  activities.updateWallet.name,
];

/** Whether an activity decides who may act. A user who may do so can bypass every other limit. */
export function isAuthorityActivity(activity: Activity): boolean {
  const { name, rootQuorumOnly, policy } = activity.definition;
  if (rootQuorumOnly || AUTHORITY.includes(policy.resource)) return true;
  return rulesOf(activity).trustedRecordsAreAuthority && (TRUSTED.includes(policy.resource) || TRUSTED_NAMES.includes(name));
}

/** Whether a scope demands an activity by its resource, kind or type. */
export function demands(scope: string, activity: Activity & ViewedActivity): boolean {
  return rulesOf(activity).namesByValue ? demandsActivity(activity, scope) : namesInText(scope, activity);
}

/** Whether the condition of an MFA policy mentions an activity by its resource, kind or type, to include or to exclude it. */
export function mentions(condition: string, activity: Activity & ViewedActivity): boolean {
  return rulesOf(activity).namesByValue ? mentionsActivity(activity, condition) : namesInText(condition, activity);
}

/** Whether a text contains the resource, kind or type of an activity, as the first rules demanded. */
export function namesInText(expression: string, { definition, type }: Activity): boolean {
  const words = [definition.policy.resource, activityKind(type), type];
  return words.some((word) => new RegExp(`\\b${word}\\b`).test(expression));
}

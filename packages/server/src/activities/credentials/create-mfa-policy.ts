import { activities } from '@countersign/contract';
import { credentialsOfUser, demandedStrength } from '@countersign/judgement';
import { execute } from '../../pipeline/plan/executor.ts';
import { limitExceeded, notFound } from '../../wire/refuse.ts';
import { activityExpressionWarnings } from '../policies/activity-expression.ts';
import { touchedByMfaPolicy } from '../touches.ts';
import { type MfaPolicyContent, requireSound } from './mfa-policies.ts';

export const createMfaPolicy = execute(activities.createMfaPolicy, {
  locksOrganization: true,

  async plan(context, params) {
    const { organization, limits } = context;
    const { userId } = params;
    if (!organization.users.has(userId)) throw notFound('user', 'userId');
    const held = [...credentialsOfUser(organization.records.mfaPolicy, userId).values()];
    if (held.length >= limits.maxMfaPolicies)
      throw limitExceeded('MFA policies of a user', limits.maxMfaPolicies, 'maxMfaPolicies');
    const content = params as MfaPolicyContent;
    await requireSound(context, content);
    const touches = [touchedByMfaPolicy(organization, userId, demandedStrength(content))];
    return { intent: params, subject: { touches }, prepared: content };
  },

  async run({ newId, nowMs }, { prepared: content }) {
    const mfaPolicyId = newId();
    const body = { ...content, createdAtMs: nowMs, updatedAtMs: nowMs };
    return {
      result: { mfaPolicyId },
      changes: [{ op: 'putRecord', kind: 'mfaPolicy', id: mfaPolicyId, body }],
      warnings: activityExpressionWarnings(content.condition, 'MFA_CONDITION'),
    };
  },
});

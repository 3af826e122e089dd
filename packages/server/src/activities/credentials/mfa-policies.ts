import { ServiceError } from '@countersign/contract';
import { credentialsOfUser, isMeetable, isSession } from '@countersign/judgement';
import type { MfaPolicyRecord } from '../../organizations/records.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { PlanContext } from '../../pipeline/plan/executor.ts';
import { invalidField, nameTaken, notFound } from '../../wire/refuse.ts';
import { requireActivityExpression } from '../policies/activity-expression.ts';

/** An MFA policy without its timestamps. */
export type MfaPolicyContent = Omit<MfaPolicyRecord, 'createdAtMs' | 'updatedAtMs'>;

/** Returns an MFA policy of a user. Throws NOT_FOUND if it does not exist or belongs to another user. */
export function requireMfaPolicy({ records }: Snapshot, userId: string, mfaPolicyId: string): MfaPolicyRecord {
  const policy = records.mfaPolicy.get(mfaPolicyId);
  if (policy === undefined || policy.userId !== userId) throw notFound('MFA policy of this user', 'mfaPolicyId');
  return policy;
}

/**
 * Rejects an MFA policy that is invalid, or that its user cannot meet. `exceptId` is the policy that it replaces.
 * SECURITY: a policy that cannot be met locks its user out.
 */
export async function requireSound(context: PlanContext, content: MfaPolicyContent, exceptId?: string): Promise<void> {
  const { organization } = context;
  const { userId, mfaPolicyName, condition, requiredAuthenticationMethods } = content;
  for (const [id, other] of credentialsOfUser(organization.records.mfaPolicy, userId)) {
    if (id !== exceptId && other.mfaPolicyName === mfaPolicyName) throw nameTaken('MFA policy', 'mfaPolicyName');
  }
  requireActivityExpression(condition, 'condition');
  for (const [step, { any }] of requiredAuthenticationMethods.entries()) {
    for (const [index, method] of any.entries())
      await requireNamed(context, userId, method, `requiredAuthenticationMethods.${step}.any.${index}.id`);
  }
  if (isMeetable(organization, content)) return;
  throw new ServiceError(
    'PRECONDITION_FAILED',
    'The user lacks the credentials that this MFA policy requires, a different one for each step, and could not approve anything. Add them first.',
    { violations: [{ field: 'requiredAuthenticationMethods', description: 'The user cannot meet it.' }] },
  );
}

type Method = MfaPolicyRecord['requiredAuthenticationMethods'][number]['any'][number];

/** Rejects an id that is not a credential of this type of the user. */
async function requireNamed(
  { organization, parent }: PlanContext,
  userId: string,
  { type, id }: Method,
  field: string,
): Promise<void> {
  if (id === undefined) return;
  const { apiKeys, authenticators, records } = organization;
  const isOwn = (credential: { readonly userId: string } | undefined) => credential?.userId === userId;
  switch (type) {
    case 'AUTHENTICATION_TYPE_PASSKEY':
      if (!isOwn(authenticators.get(id))) throw notFound('authenticator of this user', field);
      return;
    case 'AUTHENTICATION_TYPE_API_KEY': {
      const key = apiKeys.get(id);
      if (key === undefined || !isOwn(key) || isSession(key)) throw notFound('API key of this user', field);
      return;
    }
    case 'AUTHENTICATION_TYPE_OAUTH':
      if (!isOwn(records.oauthProvider.get(id))) throw notFound('OAuth provider of this user', field);
      return;
    case 'AUTHENTICATION_TYPE_SESSION': {
      const owner = organization.profile.parentId === null ? organization : await parent();
      if (owner?.records.sessionProfile.has(id) !== true) throw notFound('session profile', field);
      return;
    }
    default:
      throw invalidField(field, 'must be absent: a user has one email address and one phone number');
  }
}

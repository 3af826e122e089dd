import { type ActivityInput, activities, ServiceError } from '@countersign/contract';
import { type Contacted, usersAt } from '../../organizations/contacts.ts';
import type { UserRecord } from '../../organizations/records.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { requireOne } from './contacts.ts';
import { generatedKey, planSessionKey, recordSessionKey } from './session-keys.ts';
import { readTargetKey } from './target-key.ts';

export const createReadWriteSession = execute(activities.createReadWriteSession, {
  locksOrganization: true,

  async plan(context, params) {
    const { organization, submitterId } = context;
    const target = readTargetKey(params.targetPublicKey, 'targetPublicKey');
    const { userId, user } = findUser(organization, params, submitterId);
    if (userId !== submitterId) requireNoRootUser(organization, userId);
    const kind = { type: 'CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256', kind: 'Read Write Session' } as const;
    const key = await planSessionKey(context, userId, kind, params, 'STAMP');
    // SECURITY: policies see both the id and the e-mail address of the user, even if the request names only one of them or neither.
    const parameters = () => ({ userId, email: user.userEmail ?? '', expirationSeconds: key.expirationSeconds });
    return {
      intent: params,
      subject: { touches: [{ what: 'SESSION', userId }], parameters },
      prepared: { key, target, username: user.userName },
    };
  },

  async run(context, { prepared: { key, target, username } }) {
    const { organization, vault } = context;
    const { publicKey, credentialBundle } = await vault.service.issueCredential(target);
    const { apiKeyId, changes, warnings } = recordSessionKey(context, key, generatedKey(publicKey));
    const { id: organizationId, profile: record } = organization;
    const result = {
      organizationId,
      organizationName: record.name,
      userId: key.userId,
      username,
      apiKeyId,
      credentialBundle,
    };
    return { result, changes, warnings };
  },
});

/** SECURITY: otherwise, the holder of one member's session could meet the root quorum with fewer people than it requires. */
function requireNoRootUser({ profile }: Snapshot, userId: string): void {
  if (!profile.rootQuorum.userIds.includes(userId)) return;
  throw new ServiceError(
    'POLICY_DENIED',
    'request not authorized: only a member of the root quorum can open a session for that member. Sign in with your own credential.',
    { violations: [{ field: 'userId', description: 'This user is a member of the root quorum.' }] },
  );
}

/**
 * Returns the user that the request names by id or, in its first version, by e-mail address. Defaults to the submitter.
 * SECURITY: D30, D373: only the root quorum opens sessions of others. Other submitters get the same error for users who exist and for those
 * who do not.
 */
function findUser(
  organization: Snapshot,
  { userId, email }: ActivityInput<'createReadWriteSession'>,
  submitterId: string,
): { userId: string; user: UserRecord } {
  const isRoot = organization.profile.rootQuorum.userIds.includes(submitterId);
  const found = email === undefined ? byId(organization, userId ?? submitterId) : usersAt(organization, 'OTP_TYPE_EMAIL', email);
  const isOwn = found.length === 1 && found[0]?.userId === submitterId;
  if (!isOwn && !isRoot)
    throw new ServiceError(
      'POLICY_DENIED',
      'request not authorized: only the root quorum may open a session for another user, because its holder can act as another user without proof of that user. Sign in with your own credential.',
    );
  return requireOne(found, email === undefined ? 'userId' : 'email');
}

function byId({ users }: Snapshot, userId: string): readonly Contacted[] {
  const user = users.get(userId);
  return user === undefined ? [] : [{ userId, user }];
}

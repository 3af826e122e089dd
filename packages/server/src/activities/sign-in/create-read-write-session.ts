import { type ActivityInput, activities, ServiceError } from '@countersign/contract';
import { usersAt } from '../../organizations/contacts.ts';
import type { UserRecord } from '../../organizations/records.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { notFound } from '../../wire/refuse.ts';
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

/** Returns the user that the request names by id or, in its first version, by e-mail address. Defaults to the submitter. */
function findUser(
  organization: Snapshot,
  { userId, email }: ActivityInput<'createReadWriteSession'>,
  submitterId: string,
): { userId: string; user: UserRecord } {
  if (email !== undefined) {
    return requireOne(usersAt(organization, 'OTP_TYPE_EMAIL', email), 'email');
  }
  const id = userId ?? submitterId;
  const user = organization.users.get(id);
  if (user === undefined) throw notFound('user', 'userId');
  return { userId: id, user };
}

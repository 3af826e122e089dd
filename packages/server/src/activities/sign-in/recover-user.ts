import { activities, longAttestation } from '@countersign/contract';
import { credentialsOfUser } from '@countersign/judgement';
import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import { takenIn } from '../../organizations/snapshot/indexes.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { limitExceeded, notFound } from '../../wire/refuse.ts';
import { readAuthenticators } from '../credentials/new-authenticators.ts';
import { removeApiKeys } from '../credentials/remove-api-keys.ts';

export const recoverUser = execute(activities.recoverUser, {
  locksOrganization: true,

  async plan(context, { userId, authenticator }) {
    const { organization, limits } = context;
    if (!organization.users.has(userId)) throw notFound('user', 'userId');
    const held = [...credentialsOfUser(organization.authenticators, userId).values()];
    if (held.length >= limits.maxCredentials)
      throw limitExceeded('authenticators of a user', limits.maxCredentials, 'maxCredentials');
    const taken = takenIn(organization.authenticatorByCredentialId);
    const [added] = await readAuthenticators(context, [authenticator], 'authenticator', taken);
    const intent = { authenticator: longAttestation(authenticator, userId), userId };
    return { intent, subject: { touches: [{ what: 'PASSKEY', userId }], oneTimeSubjectId: userId }, prepared: { userId, added } };
  },

  async run({ organization, newId }, { prepared: { userId, added } }) {
    if (added === undefined) throw new Error('a parsed passkey is missing');
    const authenticatorId = newId();
    // INVARIANT: using a recovery key ends it and all other recovery keys of the user.
    const spent = [...credentialsOfUser(organization.apiKeys, userId)]
      .filter(([, key]) => key.type === 'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256')
      .map(([id]) => id);
    const changes: LocalChange[] = [
      ...removeApiKeys(organization, spent),
      { op: 'putRecord', kind: 'authenticator', id: authenticatorId, body: { ...added, userId } },
    ];
    return { result: { authenticatorId: [authenticatorId] }, changes };
  },
});

import { activities, longAttestation } from '@countersign/contract';
import { credentialsOfUser } from '@countersign/judgement';
import { takenIn } from '../../organizations/snapshot/indexes.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { limitExceeded, notFound } from '../../wire/refuse.ts';
import { readAuthenticators } from './new-authenticators.ts';

export const createAuthenticators = execute(activities.createAuthenticators, {
  locksOrganization: true,

  async plan(context, { userId, authenticators }) {
    const { organization, limits } = context;
    if (!organization.users.has(userId)) throw notFound('user', 'userId');
    const held = credentialsOfUser(organization.authenticators, userId);
    if (held.size + authenticators.length > limits.maxCredentials)
      throw limitExceeded('authenticators of a user', limits.maxCredentials, 'maxCredentials');
    const taken = takenIn(organization.authenticatorByCredentialId);
    const added = await readAuthenticators(context, authenticators, 'authenticators', taken);
    const intent = { authenticators: authenticators.map((passkey) => longAttestation(passkey, userId)), userId };
    return { intent, subject: { touches: [{ what: 'PASSKEY', userId }] }, prepared: { userId, added } };
  },

  async run({ newId }, { prepared: { userId, added } }) {
    const changes = added.map((passkey) => ({
      op: 'putRecord' as const,
      kind: 'authenticator' as const,
      id: newId(),
      body: { ...passkey, userId },
    }));
    return { result: { authenticatorIds: changes.map(({ id }) => id) }, changes };
  },
});

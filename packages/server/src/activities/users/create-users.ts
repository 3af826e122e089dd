import { activities, longAttestation } from '@countersign/contract';
import { execute } from '../../pipeline/executor.ts';
import { firstRepeated, limitExceeded, nameTaken } from '../refuse.ts';
import { type NewUser, readUser, recordUser } from './new-user.ts';

export const createUsers = execute(activities.createUsers, {
  exclusive: true,

  async plan(context, { users }) {
    const { organization, limits } = context;
    if (organization.users.size + users.length > limits.maxUsers) throw limitExceeded('users', limits.maxUsers, 'maxUsers');
    const names = [...organization.users.values()].map((user) => user.userName);
    const repeated = firstRepeated([...names, ...users.map((user) => user.userName)]);
    if (repeated !== undefined) throw nameTaken('user', `users.${Math.max(0, repeated - names.length)}.userName`);
    const taken = {
      publicKeys: new Set(organization.apiKeyByPublicKey.keys()),
      credentialIds: new Set(organization.authenticatorByCredentialId.keys()),
    };
    const prepared: NewUser[] = [];
    for (const [index, user] of users.entries()) prepared.push(await readUser(context, user, `users.${index}`, taken));
    const intent = {
      users: users.map((user) => ({
        userName: user.userName,
        ...(user.userEmail !== undefined && { userEmail: user.userEmail }),
        accessType: accessTypeOf(user),
        apiKeys: user.apiKeys.map(({ curveType: _, ...key }) => key),
        // The user has no id yet: it gets one when the activity is carried out.
        authenticators: user.authenticators.map((authenticator) => longAttestation(authenticator, '')),
        userTags: user.userTags,
      })),
    };
    return { intent, subject: {}, prepared };
  },

  async run({ newId }, { prepared }) {
    const userIds = prepared.map(() => newId());
    const changes = prepared.flatMap((user, index) => recordUser(userIds[index] as string, user, newId));
    return { result: { userIds }, changes };
  },
});

/** Derived, since requests of the current version do not carry it: what the user's credentials give access to. */
function accessTypeOf({ apiKeys, authenticators }: { apiKeys: readonly unknown[]; authenticators: readonly unknown[] }) {
  if (apiKeys.length === 0) return 'ACCESS_TYPE_WEB' as const;
  return authenticators.length === 0 ? ('ACCESS_TYPE_API' as const) : ('ACCESS_TYPE_ALL' as const);
}

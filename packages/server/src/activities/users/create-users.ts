import { activities, longAttestation } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { newcomers, readUsers, recordUsers, tokensOf, touchedByUsers, usersWithClaims } from './new-user.ts';

export const createUsers = execute(activities.createUsers, {
  locksOrganization: true,

  oidcTokens: ({ users }) => tokensOf(users),

  contextChange: ({ nowMs }, { users }) => ({ users: newcomers(users, nowMs) }),

  async plan(context, { users }) {
    const prepared = await readUsers(context, users, 'users');
    const intent = {
      users: users.map((user) => ({
        userName: user.userName,
        userEmail: user.userEmail ?? '',
        accessType: accessTypeOf(user),
        apiKeys: user.apiKeys.map(({ curveType: _, ...key }) => ({ ...key, expirationSeconds: key.expirationSeconds ?? '' })),
        // The user gets an id when the activity is executed.
        authenticators: user.authenticators.map((authenticator) => longAttestation(authenticator, '')),
        userTags: user.userTags,
      })),
    };
    const parameters = () => ({ users: usersWithClaims(users, prepared) });
    return { intent, subject: { touches: touchedByUsers(context, users, prepared), parameters }, prepared };
  },

  async run({ newId }, { intent, prepared }) {
    const { result, changes } = recordUsers(prepared, newId);
    const users = intent.users.map((user, index) => {
      const userId = result.userIds[index] as string;
      return { ...user, authenticators: user.authenticators.map((authenticator) => ({ ...authenticator, userId })) };
    });
    return { intent: { users }, result, changes };
  },
});

/** Derives the access type from the user's credentials, since requests of the current version do not contain it. */
function accessTypeOf({ apiKeys, authenticators }: { apiKeys: readonly unknown[]; authenticators: readonly unknown[] }) {
  if (apiKeys.length === 0) return 'ACCESS_TYPE_WEB' as const;
  return authenticators.length === 0 ? ('ACCESS_TYPE_API' as const) : ('ACCESS_TYPE_ALL' as const);
}

import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { notFound, requireDistinct } from '../../wire/refuse.ts';

/** Display names of the credential kinds. */
const names = { apiKey: 'API key', authenticator: 'authenticator', oauthProvider: 'OAuth provider' } as const;

/** Rejects credentials that the user does not hold, and duplicates. `field` is the path of the list. */
export function requireHeld(
  organization: Snapshot,
  kind: keyof typeof names,
  userId: string,
  ids: readonly string[],
  field: string,
): void {
  if (!organization.users.has(userId)) throw notFound('user', 'userId');
  for (const [index, id] of ids.entries()) {
    if (organization.records[kind].get(id)?.userId !== userId) throw notFound(`${names[kind]} of this user`, `${field}.${index}`);
  }
  requireDistinct(ids, names[kind], field);
}

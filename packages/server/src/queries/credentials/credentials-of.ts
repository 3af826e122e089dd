import type { Snapshot } from '../../organizations/snapshot.ts';
import { notFound } from '../../wire/refuse.ts';

/** The credentials of one user, or of all users where none is named, with their ids. Refuses a user that is not there. */
export function credentialsOf<T extends { readonly userId: string }>(
  { users }: Snapshot,
  credentials: ReadonlyMap<string, T>,
  userId: string | undefined,
): [string, T][] {
  if (userId === undefined) return [...credentials];
  if (!users.has(userId)) throw notFound('user', 'userId');
  return [...credentials].filter(([, credential]) => credential.userId === userId);
}

import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { notFound } from '../../wire/refuse.ts';

/** The credentials of one user, or of all users if none is named, with their ids. Throws for an unknown user. */
export function credentialsOf<T extends { readonly userId: string }>(
  { users }: Snapshot,
  credentials: ReadonlyMap<string, T>,
  userId: string | undefined,
): [string, T][] {
  if (userId === undefined) return [...credentials];
  if (!users.has(userId)) throw notFound('user', 'userId');
  return [...credentials].filter(([, credential]) => credential.userId === userId);
}

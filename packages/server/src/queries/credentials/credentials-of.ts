import type { QueryDefinition } from '@countersign/contract';
import { credentialsOfUser, isSession } from '@countersign/judgement';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { QueryContext } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';
import { requireSelf } from '../own.ts';

/** The input of a list of credentials. Without a user, it is about all of them. */
export interface AskedUser {
  readonly userId?: string | undefined;
}

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

/** Whether a user has a session, about whose use there may be something to show. */
export function hasSession({ apiKeys }: Snapshot, userId: string): boolean {
  for (const [, key] of credentialsOfUser(apiKeys, userId)) if (isSession(key)) return true;
  return false;
}

/** Limits a list of credentials to those of the caller. Throws if the caller asks for another user. */
export function ownCredentials<R>(
  query: QueryDefinition,
  show: (context: QueryContext, asked: AskedUser) => Promise<R>,
): (context: QueryContext, asked: AskedUser) => Promise<R> {
  return async (context, { userId = context.caller.userId }) => show(context, { userId: requireSelf(context, query, userId) });
}

import { queries } from '@countersign/contract';
import { showUsedKey, showUser } from '../../organizations/views.ts';
import { type QueryContext, resolveScoped } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';
import { hasSession } from '../credentials/credentials-of.ts';
import { requireSelf } from '../own.ts';

export const getUser = resolveScoped(queries.getUser, {
  all: show,
  own: async (context, { userId }) => show(context, { userId: requireSelf(context, queries.getUser, userId) }),
});

async function show({ organization, showBeyondSpec, sessionUses }: QueryContext, { userId }: { readonly userId: string }) {
  const user = showUser(organization, userId, showBeyondSpec);
  if (user === undefined) throw notFound('user', 'userId');
  if (!hasSession(organization, userId)) return { user };
  const uses = await sessionUses(userId);
  return { user: { ...user, apiKeys: user.apiKeys.map((key) => showUsedKey(key, uses.get(key.apiKeyId))) } };
}

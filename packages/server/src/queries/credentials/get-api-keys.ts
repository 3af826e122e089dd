import { queries } from '@countersign/contract';
import { showApiKey, showUsedKey } from '../../organizations/views.ts';
import { type QueryContext, resolveScoped } from '../../pipeline/query.ts';
import { type AskedUser, credentialsOf, hasSession, ownCredentials } from './credentials-of.ts';

export const getApiKeys = resolveScoped(queries.getApiKeys, { all: show, own: ownCredentials(queries.getApiKeys, show) });

async function show({ organization, showBeyondSpec, sessionUses }: QueryContext, { userId }: AskedUser) {
  // Of one user only: a list of all users would read a row for each of their sessions.
  const uses = userId !== undefined && hasSession(organization, userId) ? await sessionUses(userId) : undefined;
  return {
    // The specification requires this field.
    apiKeys: credentialsOf(organization, organization.apiKeys, userId).map(([id, key]) => ({
      ...(!showBeyondSpec && { expirationSeconds: '' }),
      ...showUsedKey(showApiKey(id, key), uses?.get(id)),
    })),
  };
}

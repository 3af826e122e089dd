import { queries } from '@countersign/contract';
import { showApiKey } from '../../organizations/views.ts';
import { type QueryContext, resolveScoped } from '../../pipeline/query.ts';
import { type AskedUser, credentialsOf, ownCredentials } from './credentials-of.ts';

export const getApiKeys = resolveScoped(queries.getApiKeys, { all: show, own: ownCredentials(queries.getApiKeys, show) });

async function show({ organization, showBeyondSpec }: QueryContext, { userId }: AskedUser) {
  return {
    // The specification requires this field.
    apiKeys: credentialsOf(organization, organization.apiKeys, userId).map(([id, key]) => ({
      ...(!showBeyondSpec && { expirationSeconds: '' }),
      ...showApiKey(id, key),
    })),
  };
}

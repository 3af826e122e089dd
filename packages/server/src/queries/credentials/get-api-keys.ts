import { queries } from '@countersign/contract';
import { showApiKey } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { credentialsOf } from './credentials-of.ts';

export const getApiKeys = resolve(queries.getApiKeys, async ({ organization, showBeyondSpec }, { userId }) => ({
  // The specification requires this field.
  apiKeys: credentialsOf(organization, organization.apiKeys, userId).map(([id, key]) => ({
    ...(!showBeyondSpec && { expirationSeconds: '' }),
    ...showApiKey(id, key),
  })),
}));

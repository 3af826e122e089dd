import { queries } from '@countersign/contract';
import { showApiKey } from '../../organizations/show.ts';
import { resolve } from '../../pipeline/query.ts';
import { credentialsOf } from './credentials-of.ts';

export const getApiKeys = resolve(queries.getApiKeys, async ({ organization }, { userId }) => ({
  apiKeys: credentialsOf(organization, organization.apiKeys, userId).map(([id, key]) => showApiKey(id, key)),
}));

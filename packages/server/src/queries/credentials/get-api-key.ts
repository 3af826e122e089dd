import { queries } from '@countersign/contract';
import { showApiKey } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';

export const getApiKey = resolve(queries.getApiKey, async ({ organization }, { apiKeyId }) => {
  const apiKey = organization.apiKeys.get(apiKeyId);
  if (apiKey === undefined) throw notFound('API key', 'apiKeyId');
  return { apiKey: showApiKey(apiKeyId, apiKey) };
});

import { queries } from '@countersign/contract';
import { notFound } from '../../activities/refuse.ts';
import { resolve } from '../../pipeline/query.ts';
import { showApiKey } from '../show.ts';

export const getApiKey = resolve(queries.getApiKey, async ({ organization }, { apiKeyId }) => {
  const apiKey = organization.apiKeys.get(apiKeyId);
  if (apiKey === undefined) throw notFound('API key', 'apiKeyId');
  return { apiKey: showApiKey(apiKeyId, apiKey) };
});

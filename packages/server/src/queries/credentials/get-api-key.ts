import { queries } from '@countersign/contract';
import { isSession } from '@countersign/judgement';
import { showApiKey, showUsedKey } from '../../organizations/views.ts';
import { type QueryContext, resolveScoped } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';
import { requireSelf } from '../own.ts';

export const getApiKey = resolveScoped(queries.getApiKey, {
  all: show,
  async own(context, input) {
    requireSelf(context, queries.getApiKey, context.organization.apiKeys.get(input.apiKeyId)?.userId);
    return show(context, input);
  },
});

async function show({ organization, sessionUses }: QueryContext, { apiKeyId }: { readonly apiKeyId: string }) {
  const apiKey = organization.apiKeys.get(apiKeyId);
  if (apiKey === undefined) throw notFound('API key', 'apiKeyId');
  const uses = isSession(apiKey) ? await sessionUses(apiKey.userId, apiKeyId) : undefined;
  return { apiKey: showUsedKey(showApiKey(apiKeyId, apiKey), uses?.get(apiKeyId)) };
}

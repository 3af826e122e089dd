import { queries } from '@countersign/contract';
import { showOauthProvider } from '../../organizations/views.ts';
import { type QueryContext, resolveScoped } from '../../pipeline/query.ts';
import { type AskedUser, credentialsOf, ownCredentials } from './credentials-of.ts';

export const getOauthProviders = resolveScoped(queries.getOauthProviders, {
  all: show,
  own: ownCredentials(queries.getOauthProviders, show),
});

async function show({ organization }: QueryContext, { userId }: AskedUser) {
  const providers = credentialsOf(organization, organization.records.oauthProvider, userId);
  return { oauthProviders: providers.map(([id, provider]) => showOauthProvider(id, provider)) };
}

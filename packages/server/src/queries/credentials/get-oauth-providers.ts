import { queries } from '@countersign/contract';
import { showOauthProvider } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { credentialsOf } from './credentials-of.ts';

export const getOauthProviders = resolve(queries.getOauthProviders, async ({ organization }, { userId }) => ({
  oauthProviders: credentialsOf(organization, organization.records.oauthProvider, userId).map(([id, provider]) =>
    showOauthProvider(id, provider),
  ),
}));

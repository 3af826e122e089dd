import { queries } from '@countersign/contract';
import { showAuthenticator } from '../../organizations/views.ts';
import { type QueryContext, resolveScoped } from '../../pipeline/query.ts';
import { type AskedUser, credentialsOf, ownCredentials } from './credentials-of.ts';

export const getAuthenticators = resolveScoped(queries.getAuthenticators, {
  all: show,
  own: ownCredentials(queries.getAuthenticators, show),
});

async function show({ organization }: QueryContext, { userId }: AskedUser) {
  const passkeys = credentialsOf(organization, organization.authenticators, userId);
  return { authenticators: passkeys.map(([id, passkey]) => showAuthenticator(id, passkey)) };
}

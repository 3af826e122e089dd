import { queries } from '@countersign/contract';
import { showAuthenticator } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';

export const getAuthenticator = resolve(queries.getAuthenticator, async ({ organization }, { authenticatorId }) => {
  const authenticator = organization.authenticators.get(authenticatorId);
  if (authenticator === undefined) throw notFound('authenticator', 'authenticatorId');
  return { authenticator: showAuthenticator(authenticatorId, authenticator) };
});

import { queries } from '@countersign/contract';
import { notFound } from '../../activities/refuse.ts';
import { resolve } from '../../pipeline/query.ts';
import { showAuthenticator } from '../show.ts';

export const getAuthenticator = resolve(queries.getAuthenticator, async ({ organization }, { authenticatorId }) => {
  const authenticator = organization.authenticators.get(authenticatorId);
  if (authenticator === undefined) throw notFound('authenticator', 'authenticatorId');
  return { authenticator: showAuthenticator(authenticatorId, authenticator) };
});

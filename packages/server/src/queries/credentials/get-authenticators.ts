import { queries } from '@countersign/contract';
import { showAuthenticator } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { credentialsOf } from './credentials-of.ts';

export const getAuthenticators = resolve(queries.getAuthenticators, async ({ organization }, { userId }) => ({
  authenticators: credentialsOf(organization, organization.authenticators, userId).map(([id, passkey]) =>
    showAuthenticator(id, passkey),
  ),
}));

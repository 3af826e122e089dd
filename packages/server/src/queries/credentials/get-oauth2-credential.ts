import { queries } from '@countersign/contract';
import { showOauth2Credential } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';

export const getOauth2Credential = resolve(queries.getOauth2Credential, async ({ organization }, { oauth2CredentialId: id }) => {
  const credential = organization.records.oauth2Credential.get(id);
  if (credential === undefined) throw notFound('OAuth 2 credential', 'oauth2CredentialId');
  return { oauth2Credential: showOauth2Credential(organization.id, id, credential) };
});

import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { limitExceeded } from '../../wire/refuse.ts';
import { requireNewClient, requireProvider, unreadableSecret } from './oauth2-credentials.ts';

export const createOauth2Credential = execute(activities.createOauth2Credential, {
  locksOrganization: true,

  async plan(context, params) {
    const { organization, limits } = context;
    requireProvider(context, params.provider);
    requireNewClient(organization, params);
    if (organization.records.oauth2Credential.size >= limits.maxOauth2Credentials)
      throw limitExceeded('OAuth 2 credentials', limits.maxOauth2Credentials, 'maxOauth2Credentials');
    return { intent: params, subject: {}, prepared: params };
  },

  async run({ organization, vault, newId, nowMs }, { prepared: { provider, clientId, encryptedClientSecret } }) {
    const [id, secretId] = [newId(), newId()];
    const envelope = Buffer.from(encryptedClientSecret, 'hex');
    const ciphertext = await vault.transfers.importClientSecret(organization.id, secretId, envelope);
    if (ciphertext === undefined) return { result: { oauth2CredentialId: '' }, changes: [], refusal: unreadableSecret() };
    const body = { provider, clientId, secretId, createdAtMs: nowMs, updatedAtMs: nowMs };
    return {
      result: { oauth2CredentialId: id },
      changes: [
        { op: 'putSecret', id: secretId, ciphertext },
        { op: 'putRecord', kind: 'oauth2Credential', id, body },
      ],
    };
  },
});

import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { requireNewClient, requireOauth2Credential, requireProvider, unreadableSecret } from './oauth2-credentials.ts';

export const updateOauth2Credential = execute(activities.updateOauth2Credential, {
  locksOrganization: true,

  async plan(context, params) {
    const before = requireOauth2Credential(context.organization, params.oauth2CredentialId);
    requireProvider(context, params.provider);
    requireNewClient(context.organization, params, params.oauth2CredentialId);
    return { intent: params, subject: {}, prepared: { params, before } };
  },

  async run({ organization, vault, newId, nowMs }, { prepared: { params, before } }) {
    const { oauth2CredentialId: id, provider, clientId, encryptedClientSecret } = params;
    const secretId = newId();
    const envelope = Buffer.from(encryptedClientSecret, 'hex');
    const ciphertext = await vault.transfers.importClientSecret(organization.id, secretId, envelope);
    const result = { oauth2CredentialId: id };
    if (ciphertext === undefined) return { result, changes: [], refusal: unreadableSecret() };
    return {
      result,
      changes: [
        { op: 'deleteSecret', id: before.secretId },
        { op: 'putSecret', id: secretId, ciphertext },
        {
          op: 'putRecord',
          kind: 'oauth2Credential',
          id,
          body: { provider, clientId, secretId, createdAtMs: before.createdAtMs, updatedAtMs: nowMs },
        },
      ],
    };
  },
});

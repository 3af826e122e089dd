import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { requireOauth2Credential } from './oauth2-credentials.ts';

export const deleteOauth2Credential = execute(activities.deleteOauth2Credential, {
  locksOrganization: true,

  async plan({ organization }, params) {
    const { secretId } = requireOauth2Credential(organization, params.oauth2CredentialId);
    return { intent: params, subject: {}, prepared: secretId };
  },

  async run(_context, { intent: { oauth2CredentialId: id }, prepared: secretId }) {
    return {
      result: { oauth2CredentialId: id },
      changes: [
        { op: 'deleteRecord', kind: 'oauth2Credential', id },
        { op: 'deleteSecret', id: secretId },
      ],
    };
  },
});

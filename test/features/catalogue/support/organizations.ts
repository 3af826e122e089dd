import { SoftwareAuthenticator } from '../../../../packages/server/test/auth/software-authenticator.ts';
import { newApiKey } from '../../../support/api-key.ts';
import type { Caller } from '../../../support/caller.ts';
import type { TestService } from '../../../support/service.ts';
import { apiKeyParams, uniqueName } from '../../../support/world.ts';
import { passkeyParams, sendWithPasskey } from './passkeys.ts';

/** Creates a top-level organization as the operator. Its root user adds an API key with its passkey. */
export async function createOrganization(operator: Caller, { services }: TestService): Promise<Caller> {
  const authenticator = new SoftwareAuthenticator();
  const params = {
    organizationName: uniqueName('Organization'),
    rootEmail: 'root@example.com',
    rootAuthenticator: passkeyParams(authenticator),
  };
  const { organizationId } = await operator.result('createOrganization', params);
  const snapshot = await services.organizations.snapshots.get(organizationId);
  const userId = snapshot?.profile.rootQuorum.userIds[0];
  const key = newApiKey();
  const root = operator.with({ organizationId, key });
  const body = root.submitBody('createApiKeys', { userId, apiKeys: [apiKeyParams(key)] });
  const answer = await sendWithPasskey(root, authenticator, root.submitPath('createApiKeys'), body);
  if (answer.status !== 200) throw new Error(`the root user's passkey is refused: ${JSON.stringify(answer.body)}`);
  return root;
}

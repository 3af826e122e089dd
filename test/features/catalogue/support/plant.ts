import type { LocalChange } from '../../../../packages/server/src/organizations/snapshot/changes.ts';
import { changeAsSystem } from '../../../../packages/server/src/pipeline/commit/system-change.ts';
import type { TestService } from '../../../support/service.ts';

/** Writes changes as the service would, for state that no operation produces yet. */
export async function plant({ services }: TestService, organizationId: string, changes: readonly LocalChange[]): Promise<void> {
  const isChanged = await changeAsSystem(services, organizationId, () => changes);
  if (!isChanged) throw new Error(`nothing was changed in ${organizationId}`);
}

/** A user's link to an identity. */
export async function plantOauthProvider(service: TestService, organizationId: string, userId: string): Promise<string> {
  const id = service.services.newId();
  const dates = { createdAtMs: Date.now(), updatedAtMs: Date.now() };
  const body = { userId, providerName: 'Example', issuer: 'https://id.example.com', audience: 'app', subject: id, ...dates };
  await plant(service, organizationId, [{ op: 'putRecord', kind: 'oauthProvider', id, body }]);
  return id;
}

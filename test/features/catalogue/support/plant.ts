import { toActivityRow } from '../../../../packages/server/src/organizations/activities/activity-record.ts';
import { applyChanges } from '../../../../packages/server/src/organizations/snapshot/apply-changes.ts';
import type { Change } from '../../../../packages/server/src/organizations/snapshot/changes.ts';
import type { TestService } from '../../../support/service.ts';

/** Writes changes as the service would, for state that no operation produces yet. */
export async function plant({ services }: TestService, organizationId: string, changes: readonly Change[]): Promise<void> {
  const { organizations, vault, store, newId } = services;
  const { snapshots } = organizations;
  const target = await snapshots.current(organizationId);
  if (target === undefined) throw new Error(`there is no organization ${organizationId}`);
  const { writes, head, next } = applyChanges(vault.integrity, target, changes);
  const id = newId();
  const dates = { createdAtMs: Date.now(), updatedAtMs: Date.now() };
  const record = {
    id,
    organizationId,
    type: 'ACTIVITY_TYPE_UPDATE_USER',
    status: 'ACTIVITY_STATUS_COMPLETED' as const,
    fingerprint: `planted:${id}`,
    timestampMs: String(dates.createdAtMs),
    intent: {},
    result: {},
    failure: null,
    votes: [],
    decisions: [],
    ...dates,
  };
  const [outcome] = await store.commit([
    {
      organizationId,
      expected: target.head,
      ...(head && { head }),
      activity: toActivityRow(vault.integrity, record, 0),
      writes,
    },
  ]);
  if (outcome?.taken !== true) throw new Error(`the store refused what was planted: ${outcome?.reason}`);
  if (next !== undefined) snapshots.replace(next);
}

/** A user's link to an identity. */
export async function plantOauthProvider(service: TestService, organizationId: string, userId: string): Promise<string> {
  const id = service.services.newId();
  const dates = { createdAtMs: Date.now(), updatedAtMs: Date.now() };
  const body = { userId, providerName: 'Example', issuer: 'https://id.example.com', audience: 'app', subject: id, ...dates };
  await plant(service, organizationId, [{ op: 'putRecord', kind: 'oauthProvider', id, body }]);
  return id;
}

import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { readConfig } from '../../packages/server/src/config/read-config.ts';
import { toLoggedActivity } from '../../packages/server/src/log/entry.ts';
import { openService } from '../../packages/server/src/open-service.ts';
import { applyChanges } from '../../packages/server/src/organizations/snapshot/apply-changes.ts';
import type { NewOrganization } from '../../packages/server/src/organizations/snapshot/changes.ts';
import { seededActivity, seededStep } from '../seeded-activity.ts';

// Fills an installation with sub-organizations: the rows that create_sub_organization would write, many in one commit.
const [dataDir = '', parentId = '', count = '0'] = process.argv.slice(2);
const BATCH = 500;

const { services, close } = await openService(readConfig({ dataDir }, {}), { log: pino({ level: 'silent' }) });
const { vault, store, organizations, newId } = services;
const parent = await organizations.snapshots.get(parentId);
if (parent === undefined) throw new Error('the organization to fill does not exist');

async function newTenant(number: number): Promise<NewOrganization> {
  const [organizationId, userId] = [newId(), newId()];
  const dates = { createdAtMs: Date.now(), updatedAtMs: Date.now() };
  const rootQuorum = { threshold: 1, userIds: [userId] };
  // Only the probe ever stamps requests, so any 33 bytes serve as a public key.
  const publicKey = `02${randomBytes(32).toString('hex')}`;
  const apiKey = {
    userId,
    apiKeyName: 'Key',
    publicKey,
    curve: 'API_KEY_CURVE_P256',
    type: 'CREDENTIAL_TYPE_API_KEY_P256',
    ...dates,
  } as const;
  return {
    op: 'createOrganization',
    organizationId,
    dataKey: await vault.service.createDataKey(organizationId),
    changes: [
      {
        op: 'putRecord',
        kind: 'organization',
        id: organizationId,
        body: { name: `Tenant ${number}`, parentId, rootQuorum, features: [], ...dates },
      },
      {
        op: 'putRecord',
        kind: 'user',
        id: userId,
        body: { userName: `User ${number}`, userEmail: `user-${number}@example.com`, userTags: [], ...dates },
      },
      { op: 'putRecord', kind: 'apiKey', id: newId(), body: apiKey },
    ],
  };
}

for (let created = 0; created < Number(count); created += BATCH) {
  const size = Math.min(BATCH, Number(count) - created);
  const changes: NewOrganization[] = [];
  for (let index = 0; index < size; index++) changes.push(await newTenant(created + index));
  const record = seededActivity(parentId, newId(), 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7');
  const { writes } = applyChanges(vault.integrity, parent, changes);
  const logged = toLoggedActivity(vault.integrity, record, 0, seededStep(services.commits.epoch, parent.head, writes));
  const [outcome] = await store.commit([{ organizationId: parentId, expected: parent.head, ...logged, writes }]);
  if (outcome?.taken !== true) throw new Error(`a batch was refused: ${JSON.stringify(outcome)}`);
  process.send?.({ created: created + size });
}
await close();

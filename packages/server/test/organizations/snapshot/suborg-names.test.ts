import { expect, test } from 'vitest';
import { createSuborgNames } from '../../../src/organizations/snapshot/suborg-names.ts';
import type { Store } from '../../../src/store/store.ts';
import { openIntegrity } from '../../../src/vault/integrity/integrity.ts';
import { Secret } from '../../../src/vault/keys/secret.ts';

const { integrity } = openIntegrity(new Secret(new Uint8Array(32).fill(1)));

function stored(id: string, name: string, parentId: string | null) {
  const body = JSON.stringify({ name, parentId });
  return { id, body, mac: integrity.row('records', id, 'organization', id, 0, body) };
}

test('D241: an entry of the index that leads to an organization of somebody else shows no name', async () => {
  const found = [stored('own', 'Ours', 'acme'), stored('theirs', 'Secret venture', 'rival'), stored('rival', 'Rival', null)];
  const alarms: string[] = [];
  const lookups = { findOrganizations: async () => found } as unknown as Store['lookups'];
  const names = createSuborgNames(lookups, integrity, (organizationId) => alarms.push(organizationId));
  expect(await names.page('acme', 'ANY', '', { limit: 10 })).toEqual([
    { organizationId: 'own', organizationName: 'Ours' },
    { organizationId: 'theirs' },
    { organizationId: 'rival' },
  ]);
  expect(alarms).toEqual(['theirs', 'rival']);
});

import { expect, test } from 'vitest';
import { leafOf, naiveMap, nodeHashOf, organizationEntry, sha256Hex } from './support/independent.ts';

/** The definition in node:crypto, as data. `vitest -u` on this file writes the vectors again. */

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
const vectors = (name: string) => `../../../conformance/log/${name}.json`;
const ORGANIZATION = '7b0c3c1e-0d5f-4c3e-9d0a-3f6f3a3a9b11';
const PARENT = '0b9d2f6e-4f0e-4d5c-8a52-0f4c7f1d2a33';

function chain() {
  const leaves: ReturnType<typeof leafOf>[] = [];
  for (let sequence = 1; sequence <= 6; sequence++) {
    const isSystem = sequence === 5;
    const created = { organizationId: `created-${sequence}`, headVersion: 1, headDigest: sha256Hex(`created ${sequence}`) };
    leaves.push(
      leafOf(
        {
          version: 2,
          shard: 0,
          organizationId: ORGANIZATION,
          sequence,
          previousLeaf: leaves.at(-1)?.leafHash ?? '',
          activityId: isSystem ? 'system:5' : `activity-${sequence}`,
          revision: isSystem ? 0 : 1,
          fingerprint: isSystem ? 'system:5' : `sha256:${sha256Hex(`fingerprint ${sequence}`)}`,
          type: isSystem ? 'STATE_CHANGED' : 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7',
          status: isSystem ? 'DONE' : 'ACTIVITY_STATUS_COMPLETED',
          decisionDigest: isSystem ? '' : sha256Hex(`decision ${sequence}`),
          resultDigest: sequence % 2 === 0 ? sha256Hex(`result ${sequence}`) : '',
          timeMs: 1_700_000_000_000 + sequence,
          ...(sequence === 3 ? { judgedBy: PARENT } : {}),
          credentialKind: isSystem ? 'SERVICE' : sequence === 1 ? 'NONE' : 'API_KEY',
          authorizationDigest: isSystem || sequence === 1 ? '' : sha256Hex(`authorization ${sequence}`),
          headVersion: sequence,
          headDigest: sha256Hex(`head ${sequence}`),
          ...(sequence === 4 ? { created: [created] } : {}),
        },
        sha256Hex(`salt ${sequence}`),
      ),
    );
  }
  return { organizationId: ORGANIZATION, leaves, head: { sequence: 6, leafHash: leaves.at(-1)?.leafHash } };
}

function map(count: number) {
  const heads = Array.from({ length: count }, (_, at) => ({
    organizationId: `organization-${at}`,
    sequence: at,
    leafHash: at === 0 ? '' : sha256Hex(`leaf ${at}`),
    headVersion: at + 1,
    headDigest: sha256Hex(`head ${at}`),
  }));
  const usage = Array.from({ length: Math.floor(count / 4) }, (_, at) => ({
    key: sha256Hex(`usage ${at}`),
    head: { revision: at + 1, point: sha256Hex(`point ${at}`) },
  }));
  const entries = new Map([
    ...heads.map(organizationEntry),
    ...usage.map(({ key, head }): [string, string] => [key, sha256Hex(JSON.stringify(head))]),
  ]);
  const nodes = naiveMap(entries);
  return { organizations: heads, usage, root: nodeHashOf(nodes.get('') as string), nodes: Object.fromEntries([...nodes].sort()) };
}

test('conformance/log/leaves-2.json follows from the definition', async () => {
  await expect(json({ chain: chain() })).toMatchFileSnapshot(vectors('leaves-2'));
});

test('conformance/log/map.json follows from the definition', async () => {
  await expect(json({ maps: [0, 1, 12, 13, 14, 40, 300].map(map) })).toMatchFileSnapshot(vectors('map'));
});

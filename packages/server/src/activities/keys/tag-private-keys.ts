import type { Resource } from '../../organizations/records.ts';
import type { ResourcePut } from '../../organizations/snapshot/changes.ts';
import type { PlanContext } from '../../pipeline/plan/executor.ts';
import { notFound, requireDistinct } from '../../wire/refuse.ts';

/** Reads the private keys of a list, and rejects unknown keys and duplicates. `field` is the path of the list in the parameters. */
export async function readPrivateKeys(
  { organization, resources }: PlanContext,
  ids: readonly string[],
  field: string,
): Promise<readonly Resource<'privateKey'>[]> {
  const keys: Resource<'privateKey'>[] = [];
  for (const [index, id] of ids.entries()) {
    const key = await resources.get(organization.id, 'privateKey', id);
    if (key === undefined) throw notFound('private key', `${field}.${index}`);
    keys.push(key);
  }
  requireDistinct(ids, 'private key', field);
  return keys;
}

/** Changes the tags of private keys. Skips keys whose tags stay the same. */
export function retagPrivateKeys(
  keys: readonly Resource<'privateKey'>[],
  retag: (tags: readonly string[]) => readonly string[],
  nowMs: number,
): ResourcePut[] {
  const changes: ResourcePut[] = [];
  for (const previous of keys) {
    const { id, body } = previous;
    const privateKeyTags = retag(body.privateKeyTags);
    if (privateKeyTags.length === body.privateKeyTags.length) continue;
    changes.push({ op: 'putResource', kind: 'privateKey', id, body: { ...body, privateKeyTags, updatedAtMs: nowMs }, previous });
  }
  return changes;
}

import type { Limits } from '../config/limits.ts';
import { requireVisible } from '../organizations/names.ts';
import { tagsByName } from '../organizations/snapshot/indexes.ts';
import type { Snapshot } from '../organizations/snapshot/snapshot.ts';
import { invalidField, limitExceeded, nameTaken, notFound, requireDistinct } from '../wire/refuse.ts';

/** Display names of the tag kinds. */
const names = { userTag: 'user tag', privateKeyTag: 'private key tag' } as const;

export type TagKind = keyof typeof names;

/** Rejects a new tag if the tag limit is reached, or if another tag of its kind has the name. */
export function requireNewTag(organization: Snapshot, { maxTags }: Limits, kind: TagKind, tagName: string, field: string): void {
  const { userTag, privateKeyTag } = organization.records;
  if (userTag.size + privateKeyTag.size + 1 > maxTags) throw limitExceeded('tags', maxTags, 'maxTags');
  requireFreeTagName(organization, kind, tagName, field);
}

/** Rejects a name that another tag of its kind has. `ownId` is the tag that may keep the name. */
export function requireFreeTagName(organization: Snapshot, kind: TagKind, tagName: string, field: string, ownId?: string): void {
  const own = ownId === undefined ? undefined : organization.records[kind].get(ownId);
  if (own?.tagName !== tagName) requireVisible(tagName, field);
  for (const id of tagsByName(organization.records[kind]).get(tagName)?.keys() ?? [])
    if (id !== ownId) throw nameTaken(names[kind], field);
}

/** Rejects tags that the organization does not have, and duplicates. `field` is the path of the list. */
export function requireTags(organization: Snapshot, kind: TagKind, ids: readonly string[], field: string): void {
  for (const [index, id] of ids.entries()) {
    if (!organization.records[kind].has(id)) throw notFound(names[kind], `${field}.${index}`);
  }
  requireDistinct(ids, names[kind], field);
}

/** Rejects a request that adds and removes a tag on the same target. */
export function requireDisjoint(added: readonly string[], removed: readonly string[], field: string): void {
  const both = added.findIndex((id) => removed.includes(id));
  if (both >= 0) throw invalidField(`${field}.${both}`, 'cannot be both tagged and untagged');
}

/** Returns the tags with `tagId` added. */
export function tagged(tags: readonly string[], tagId: string): readonly string[] {
  return tags.includes(tagId) ? tags : [...tags, tagId];
}

/** Returns the tags without the removed ones. */
export function untagged(tags: readonly string[], removedIds: readonly string[]): readonly string[] {
  return tags.filter((id) => !removedIds.includes(id));
}

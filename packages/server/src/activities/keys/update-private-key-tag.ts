import { activities } from '@countersign/contract';
import type { Touch } from '@countersign/judgement';
import { execute } from '../../pipeline/plan/executor.ts';
import { notFound } from '../../wire/refuse.ts';
import { requireDisjoint, requireFreeTagName, tagged, untagged } from '../tags.ts';
import { readPrivateKeys, retagPrivateKeys } from './tag-private-keys.ts';

export const updatePrivateKeyTag = execute(activities.updatePrivateKeyTag, {
  locksOrganization: true,

  async plan(context, params) {
    const { privateKeyTagId, newPrivateKeyTagName, addPrivateKeyIds, removePrivateKeyIds } = params;
    const tag = context.organization.records.privateKeyTag.get(privateKeyTagId);
    if (tag === undefined) throw notFound('private key tag', 'privateKeyTagId');
    const tagName = newPrivateKeyTagName ?? tag.tagName;
    requireFreeTagName(context.organization, 'privateKeyTag', tagName, 'newPrivateKeyTagName', privateKeyTagId);
    const added = await readPrivateKeys(context, addPrivateKeyIds, 'addPrivateKeyIds');
    const removed = await readPrivateKeys(context, removePrivateKeyIds, 'removePrivateKeyIds');
    requireDisjoint(addPrivateKeyIds, removePrivateKeyIds, 'addPrivateKeyIds');
    const touch = { what: 'KEY_TAGS', tagIds: [privateKeyTagId] } as const;
    const touches: Touch[] = added.length > 0 ? [touch] : [];
    if (removed.length > 0) touches.push({ ...touch, lost: true });
    return { intent: params, subject: { touches }, prepared: { privateKeyTagId, tag: { ...tag, tagName }, added, removed } };
  },

  async run({ nowMs }, { prepared: { privateKeyTagId, tag, added, removed } }) {
    return {
      result: { privateKeyTagId },
      changes: [
        { op: 'putRecord', kind: 'privateKeyTag', id: privateKeyTagId, body: { ...tag, updatedAtMs: nowMs } },
        ...retagPrivateKeys(added, (tags) => tagged(tags, privateKeyTagId), nowMs),
        ...retagPrivateKeys(removed, (tags) => untagged(tags, [privateKeyTagId]), nowMs),
      ],
    };
  },
});

import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { requireNewTag, tagged } from '../tags.ts';
import { readPrivateKeys, retagPrivateKeys } from './tag-private-keys.ts';

export const createPrivateKeyTag = execute(activities.createPrivateKeyTag, {
  locksOrganization: true,

  async plan(context, params) {
    const { privateKeyTagName, privateKeyIds } = params;
    requireNewTag(context.organization, context.limits, 'privateKeyTag', privateKeyTagName, 'privateKeyTagName');
    const keys = await readPrivateKeys(context, privateKeyIds, 'privateKeyIds');
    return { intent: params, subject: {}, prepared: { tagName: privateKeyTagName, keys } };
  },

  async run({ newId, nowMs }, { prepared: { tagName, keys } }) {
    const privateKeyTagId = newId();
    const body = { tagName, createdAtMs: nowMs, updatedAtMs: nowMs };
    return {
      result: { privateKeyTagId, privateKeyIds: keys.map(({ id }) => id) },
      changes: [
        { op: 'putRecord', kind: 'privateKeyTag', id: privateKeyTagId, body },
        ...retagPrivateKeys(keys, (tags) => tagged(tags, privateKeyTagId), nowMs),
      ],
    };
  },
});

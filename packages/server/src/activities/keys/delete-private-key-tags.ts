import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { requireTags, untagged } from '../tags.ts';
import { retagPrivateKeys } from './tag-private-keys.ts';

export const deletePrivateKeyTags = execute(activities.deletePrivateKeyTags, {
  locksOrganization: true,

  async plan({ organization, resources }, params) {
    const { privateKeyTagIds } = params;
    requireTags(organization, 'privateKeyTag', privateKeyTagIds, 'privateKeyTagIds');
    const keys = await resources.list(organization.id, 'privateKey');
    return {
      intent: params,
      subject: { touches: [{ what: 'KEY_TAGS', tagIds: privateKeyTagIds, lost: true }] },
      prepared: { privateKeyTagIds, keys },
    };
  },

  async run({ nowMs }, { prepared: { privateKeyTagIds, keys } }) {
    const changed = retagPrivateKeys(keys, (tags) => untagged(tags, privateKeyTagIds), nowMs);
    const deleted = privateKeyTagIds.map((id) => ({ op: 'deleteRecord' as const, kind: 'privateKeyTag' as const, id }));
    return {
      result: { privateKeyTagIds, privateKeyIds: changed.map(({ id }) => id) },
      changes: [...deleted, ...changed],
    };
  },
});

import { activities } from '@countersign/contract';
import type { Change } from '../../organizations/snapshot/changes.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { namedObjects, requireObject } from './freezes.ts';

export const unfreeze = execute(activities.unfreeze, {
  locksOrganization: true,

  async plan(context, params) {
    const { organization } = context;
    const named = namedObjects(organization, params);
    for (const object of named) if (!organization.records.freeze.has(object.id)) await requireObject(context, object);
    return { intent: params, subject: {}, prepared: named };
  },

  async run({ organization }, { prepared: named }) {
    const isFrozen = ({ id, target }: (typeof named)[number]) => organization.records.freeze.get(id)?.target === target;
    const unfrozenIds = named.filter(isFrozen).map(({ id }) => id);
    const changes = unfrozenIds.map((id): Change => ({ op: 'deleteRecord', kind: 'freeze', id }));
    return { result: { unfrozenIds, notFrozenIds: named.filter((each) => !isFrozen(each)).map(({ id }) => id) }, changes };
  },
});

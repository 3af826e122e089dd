import { activities } from '@countersign/contract';
import type { Change } from '../../organizations/snapshot/changes.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { namedObjects } from './freezes.ts';

export const unfreeze = execute(activities.unfreeze, {
  locksOrganization: true,

  async plan({ organization }, params) {
    return { intent: params, subject: {}, prepared: namedObjects(organization, params) };
  },

  async run({ organization }, { prepared: named }) {
    const isFrozen = ({ id, target }: (typeof named)[number]) => organization.records.freeze.get(id)?.target === target;
    const unfrozenIds = named.filter(isFrozen).map(({ id }) => id);
    const changes = unfrozenIds.map((id): Change => ({ op: 'deleteRecord', kind: 'freeze', id }));
    return { result: { unfrozenIds, notFrozenIds: named.filter((each) => !isFrozen(each)).map(({ id }) => id) }, changes };
  },
});

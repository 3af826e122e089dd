import { activities } from '@countersign/contract';
import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { findSecrets } from './find-secrets.ts';

export const deleteSecrets = execute(activities.deleteSecrets, {
  locksOrganization: true,

  async plan({ organization }, params) {
    const fieldOf = (index?: number) => (index === undefined ? 'secretIds' : `secretIds.${index}`);
    return {
      intent: params,
      subject: { secrets: findSecrets(organization, params.secretIds, fieldOf) },
      prepared: params.secretIds,
    };
  },

  async run(_context, { prepared: secretIds }) {
    const changes = secretIds.flatMap((id): LocalChange[] => [
      { op: 'deleteRecord', kind: 'secret', id },
      { op: 'deleteSecret', id },
    ]);
    return { result: { secretIds: [...secretIds] }, changes };
  },
});

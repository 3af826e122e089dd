import { activities, ServiceError } from '@countersign/contract';
import type { Resource } from '../../organizations/records.ts';
import type { Change } from '../../organizations/snapshot/changes.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { notFound, requireDistinct } from '../../wire/refuse.ts';

export const deletePrivateKeys = execute(activities.deletePrivateKeys, {
  locksOrganization: true,
  endsKeys: true,

  async plan({ organization, resources }, params) {
    const { privateKeyIds, deleteWithoutExport = false } = params;
    requireDistinct(privateKeyIds, 'key', 'privateKeyIds');
    const keys: Resource<'privateKey'>[] = [];
    for (const [index, id] of privateKeyIds.entries()) {
      const key = await resources.get(organization.id, 'privateKey', id);
      if (key === undefined) throw notFound('private key', `privateKeyIds.${index}`);
      if (!key.body.exported && !deleteWithoutExport) {
        throw new ServiceError(
          'PRECONDITION_FAILED',
          `Private key ${id} was never exported: deleting it destroys it permanently. Export it first, or set deleteWithoutExport to true.`,
          {
            violations: [{ field: `privateKeyIds.${index}`, description: 'This key was not exported.' }],
          },
        );
      }
      keys.push(key);
    }
    return { intent: params, subject: {}, prepared: keys };
  },

  async run(_context, { prepared: keys }) {
    const changes = keys.flatMap((previous): Change[] => [
      { op: 'deleteResource', previous },
      { op: 'deleteSecret', id: previous.id },
    ]);
    const privateKeyIds = keys.map((key) => key.id);
    return { result: { privateKeyIds }, changes, forget: privateKeyIds };
  },
});

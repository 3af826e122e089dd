import { activities, ServiceError } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { dissolve, readHoldings } from './dissolve.ts';

export const deleteSubOrganization = execute(activities.deleteSubOrganization, {
  locksOrganization: true,
  endsKeys: true,

  async plan(context, params) {
    if (context.organization.profile.parentId === null)
      throw new ServiceError('PRECONDITION_FAILED', 'This is not a sub-organization. Delete it with delete_organization.');
    const holdings = await readHoldings(context, params.deleteWithoutExport === true);
    return { intent: params, subject: {}, prepared: holdings };
  },

  async run({ organization, nowMs }, { prepared }) {
    return { result: { subOrganizationUuid: organization.id }, ...dissolve(organization, prepared, nowMs) };
  },
});

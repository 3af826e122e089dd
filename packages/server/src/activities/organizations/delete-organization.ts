import { activities, ServiceError } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { invalidField } from '../../wire/refuse.ts';
import { dissolve, readHoldings } from './dissolve.ts';

export const deleteOrganization = execute(activities.deleteOrganization, {
  locksOrganization: true,
  endsKeys: true,

  async plan(context, params) {
    const { id, profile } = context.organization;
    if (params.organizationId.toLowerCase() !== id)
      throw invalidField('organizationId', 'must be the organization of the request');
    if (profile.parentId !== null)
      throw new ServiceError('PRECONDITION_FAILED', 'This is a sub-organization. Delete it with delete_sub_organization.');
    if (profile.first === true) {
      throw new ServiceError(
        'PRECONDITION_FAILED',
        'The first organization belongs to the operator of this installation and cannot be deleted.',
      );
    }
    return { intent: params, subject: {}, prepared: await readHoldings(context, false) };
  },

  async run({ organization, nowMs }, { prepared }) {
    return { result: { organizationId: organization.id }, ...dissolve(organization, prepared, nowMs) };
  },
});

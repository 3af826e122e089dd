import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { notFound } from '../../wire/refuse.ts';

export const disableAuthProxy = execute(activities.disableAuthProxy, {
  locksOrganization: true,

  async plan({ organization }, params) {
    if (!organization.records.authProxy.has(organization.id)) throw notFound('auth proxy configuration', 'organizationId');
    return { intent: params, subject: {}, prepared: undefined };
  },

  async run({ organization }) {
    return { result: {}, changes: [{ op: 'deleteRecord', kind: 'authProxy', id: organization.id }] };
  },
});

import { activities } from '@countersign/contract';
import { requireVisible } from '../../organizations/names.ts';
import { execute } from '../../pipeline/plan/executor.ts';

export const updateOrganizationName = execute(activities.updateOrganizationName, {
  locksOrganization: true,

  // Names of organizations need not be unique: a parent that searches by name gets all matches.
  async plan(_context, params) {
    requireVisible(params.organizationName, 'organizationName');
    return { intent: params, subject: {}, prepared: params.organizationName };
  },

  async run({ organization, nowMs }, { prepared: name }) {
    const { id: organizationId } = organization;
    const body = { ...organization.profile, name, updatedAtMs: nowMs };
    return {
      result: { organizationId, organizationName: name },
      changes: [{ op: 'putRecord', kind: 'organization', id: organizationId, body }],
    };
  },
});

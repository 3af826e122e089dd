import { activities, ServiceError } from '@countersign/contract';
import type { NewOrganization } from '../../organizations/snapshot/changes.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { noneTaken, readUser, recordUser } from '../users/new-user.ts';
import { defaultFeatures } from './default-features.ts';

export const createOrganization = execute(activities.createOrganization, {
  // The operator's organization itself does not change.
  locksOrganization: false,

  async plan(context, params) {
    if (context.organization.profile.first !== true) {
      throw new ServiceError(
        'PRECONDITION_FAILED',
        'Only the first organization of this installation, which belongs to its operator, can create others. Ask the operator.',
      );
    }
    const root = {
      userName: 'Root user',
      userEmail: params.rootEmail,
      apiKeys: [],
      authenticators: [params.rootAuthenticator],
      oauthProviders: [],
    };
    const taken = noneTaken();
    const user = await readUser(context, root, 'rootUser', taken);
    return { intent: params, subject: {}, prepared: { params, user } };
  },

  async run({ vault, newId, newOrganizationId, nowMs }, { prepared: { params, user } }) {
    const organizationId = newOrganizationId();
    const rootUserId = params.rootUserId ?? newId();
    const body = {
      name: params.organizationName,
      parentId: null,
      rootQuorum: { threshold: 1, userIds: [rootUserId] },
      features: defaultFeatures({}),
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
    const created: NewOrganization = {
      op: 'createOrganization',
      organizationId,
      topLevel: true,
      dataKey: await vault.service.createDataKey(organizationId),
      changes: [{ op: 'putRecord', kind: 'organization', id: organizationId, body }, ...recordUser(rootUserId, user, newId)],
    };
    return { result: { organizationId }, changes: [created] };
  },
});

import { z } from 'zod';
import { defineActivity, version } from '../../define.ts';
import { authenticatorEcho, authenticatorParams, shortAttestation } from '../../shapes/credentials.ts';
import { email, label } from '../../shapes/primitives.ts';

const base = {
  organizationName: label,
  rootEmail: email,
  rootUserId: z.uuid('must be a UUID').optional().describe('The id of the root user. A new one by default'),
};
const params = z.strictObject({ ...base, rootAuthenticator: authenticatorParams });

export const createOrganization = defineActivity({
  name: 'createOrganization',
  path: 'create_organization',
  subject: 'organizations',
  summary: 'Create another top-level organization. Only the operator’s own organization may do this',
  // Not ORGANIZATION: a policy that allows sub-organizations must not allow further top-level organizations.
  policy: { resource: 'INSTALLATION', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_CREATE_ORGANIZATION_V2',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ organizationId: z.string() }),
  otherVersions: [
    version({
      type: 'ACTIVITY_TYPE_CREATE_ORGANIZATION',
      params: z.strictObject({ ...base, rootAuthenticator: authenticatorEcho }),
      upgrade: ({ rootAuthenticator, ...rest }) => ({ ...rest, rootAuthenticator: shortAttestation(rootAuthenticator) }),
    }),
  ],
});

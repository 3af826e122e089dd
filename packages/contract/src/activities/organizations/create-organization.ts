import { z } from 'zod';
import { defineActivity, version } from '../../define.ts';
import { authenticatorEcho, authenticatorParams, shortAttestation } from '../../shapes/credentials.ts';
import { email, label } from '../../shapes/primitives.ts';

const base = {
  organizationName: label,
  rootEmail: email,
  rootUserId: z.uuid('must be a UUID').optional().describe('The id that the root user shall have; a new one by default'),
};
const params = z.strictObject({ ...base, rootAuthenticator: authenticatorParams });

export const createOrganization = defineActivity({
  name: 'createOrganization',
  path: 'create_organization',
  subject: 'organizations',
  summary: 'Create a further top-level organization; only the operator’s own organization may',
  // Not ORGANIZATION: whoever may make sub-organizations is not by that allowed to make organizations beside this one.
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

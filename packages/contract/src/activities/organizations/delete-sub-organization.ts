import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { flag } from '../../shapes/primitives.ts';

const params = z.strictObject({
  deleteWithoutExport: flag.describe('True also deletes wallets and private keys that were never exported. They are then lost'),
});

export const deleteSubOrganization = defineActivity({
  name: 'deleteSubOrganization',
  path: 'delete_sub_organization',
  subject: 'organizations',
  summary: 'Delete the calling sub-organization and everything in it',
  policy: { resource: 'ORGANIZATION', action: 'DELETE' },
  rootQuorumOnly: true,
  type: 'ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ subOrganizationUuid: z.string() }),
});

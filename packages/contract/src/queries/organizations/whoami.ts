import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { organizationId } from '../../shapes/primitives.ts';

/** Present if a one-time key stamped the query. */
const oneTimeKey = z.object({
  activity: z.enum(['recover_user', 'accept_invitation']).describe('What the key can do, once'),
  invitationId: z.string().optional(),
  exchanged: z.boolean().describe('Whether the key of the link was exchanged already'),
  usable: z.boolean().describe('False if the user has an MFA policy: the key alone cannot register a passkey then'),
  credentialIds: z.array(z.string()).describe('The passkeys that the user has, which a browser must not replace'),
});

export const whoami = defineQuery({
  name: 'whoami',
  path: 'whoami',
  subject: 'organizations',
  summary: 'Show the user and the organization of the stamp',
  parentIdSuffices: true,
  byOneTimeKey: true,
  reads: { resources: ['USER'], always: 'WHOLE' },
  input: z.strictObject({ organizationId }),
  output: z.object({
    organizationId: z.string(),
    organizationName: z.string(),
    userId: z.string(),
    username: z.string(),
    oneTimeKey: oneTimeKey.optional(),
  }),
});

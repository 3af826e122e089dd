import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { authenticator } from '../../shapes/credentials.ts';
import { id, organizationId } from '../../shapes/primitives.ts';

export const getAuthenticators = defineQuery({
  name: 'getAuthenticators',
  path: 'get_authenticators',
  subject: 'credentials',
  summary: 'List the passkeys of a user',
  reads: { resources: ['USER'], always: 'OWN' },
  input: z.strictObject({ organizationId, userId: id }),
  output: z.object({ authenticators: z.array(authenticator) }),
});

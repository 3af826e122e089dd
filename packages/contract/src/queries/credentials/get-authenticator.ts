import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { authenticator } from '../../shapes/credentials.ts';
import { id, organizationId } from '../../shapes/primitives.ts';

export const getAuthenticator = defineQuery({
  name: 'getAuthenticator',
  path: 'get_authenticator',
  subject: 'credentials',
  summary: 'Get one passkey',
  reads: { resources: ['USER'], always: 'OWN' },
  input: z.strictObject({ organizationId, authenticatorId: id }),
  output: z.object({ authenticator }),
});

import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { id, organizationId } from '../../shapes/primitives.ts';
import { user } from '../../shapes/users.ts';

export const getUser = defineQuery({
  name: 'getUser',
  path: 'get_user',
  subject: 'users',
  summary: 'Get one user and their credentials',
  reads: { resources: ['USER'], always: 'OWN' },
  input: z.strictObject({ organizationId, userId: id }),
  output: z.object({ user }),
});

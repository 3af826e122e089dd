import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { organizationId } from '../../shapes/primitives.ts';

export const whoami = defineQuery({
  name: 'whoami',
  path: 'whoami',
  subject: 'organizations',
  summary: 'Show the user and the organization of the stamp',
  parentIdSuffices: true,
  input: z.strictObject({ organizationId }),
  output: z.object({ organizationId: z.string(), organizationName: z.string(), userId: z.string(), username: z.string() }),
});

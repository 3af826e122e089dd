import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { organizationId, pageInfo, paginationOptions } from '../../shapes/primitives.ts';
import { velocityControl } from '../../shapes/velocity-controls.ts';

export const listVelocityControls = defineQuery({
  name: 'listVelocityControls',
  path: 'list_velocity_controls',
  subject: 'policies',
  summary: 'List the spending limits of the organization, newest first',
  reads: { resources: ['VELOCITY_CONTROL'] },
  input: z.strictObject({ organizationId, paginationOptions: paginationOptions.optional() }),
  output: z.object({ velocityControls: z.array(velocityControl), pageInfo }),
});

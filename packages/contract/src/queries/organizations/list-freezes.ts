import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { freezeShape } from '../../shapes/freezes.ts';
import { organizationId } from '../../shapes/primitives.ts';

export const listFreezes = defineQuery({
  name: 'listFreezes',
  path: 'list_freezes',
  subject: 'organizations',
  summary: 'List what is frozen in the organization: by whom, when and why',
  reads: { resources: ['FREEZE'] },
  input: z.strictObject({ organizationId }),
  output: z.object({ freezes: z.array(freezeShape) }),
});

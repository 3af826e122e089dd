import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { policy } from '../../shapes/policies.ts';
import { id, organizationId } from '../../shapes/primitives.ts';

export const getPolicy = defineQuery({
  name: 'getPolicy',
  path: 'get_policy',
  subject: 'policies',
  summary: 'Get one policy',
  reads: { resources: ['POLICY'] },
  input: z.strictObject({ organizationId, policyId: id }),
  output: z.object({ policy }),
});

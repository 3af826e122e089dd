import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { token } from '../../shapes/address-book.ts';
import { organizationId } from '../../shapes/primitives.ts';

export const listTokens = defineQuery({
  name: 'listTokens',
  path: 'list_tokens',
  subject: 'address-book',
  summary:
    'List the tokens that transactions and policies can name: those of the organization, then those that the service ships',
  input: z.strictObject({ organizationId }),
  output: z.object({ tokens: z.array(token) }),
});

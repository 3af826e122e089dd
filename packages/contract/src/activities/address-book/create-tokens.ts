import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { tokenParams } from '../../shapes/address-book.ts';

const params = z.strictObject({
  tokens: z.array(tokenParams).min(1, 'must not be empty').max(100, 'must have at most 100 items'),
});

export const createTokens = defineActivity({
  name: 'createTokens',
  path: 'create_tokens',
  subject: 'address-book',
  summary: 'Add tokens to the token list, so that transactions and policies can refer to them',
  policy: { resource: 'TOKEN', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_CREATE_TOKENS',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ tokenIds: z.array(z.string()) }),
});

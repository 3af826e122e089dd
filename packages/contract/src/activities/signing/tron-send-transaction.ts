import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { idempotencyKey, tronChain } from '../../shapes/sending.ts';
import { signWith } from '../../shapes/signing.ts';

export const tronSendTransaction = defineActivity({
  name: 'tronSendTransaction',
  path: 'tron_send_transaction',
  subject: 'signing',
  summary: 'Sign a Tron transaction, send it, and follow it to its final state',
  policy: { resource: 'PRIVATE_KEY', action: 'SIGN' },
  type: 'ACTIVITY_TYPE_TRON_SEND_TRANSACTION',
  spec: 'none',
  params: z.strictObject({
    signWith,
    caip2: tronChain,
    unsignedTransaction: z
      .string()
      .min(1, 'must not be empty')
      .max(524_288, 'must have at most 524288 characters')
      .describe('raw_data_hex. With zeros for the reference block, the execution fills in the block and the expiration'),
    idempotencyKey,
  }),
  intent: z.object({
    signWith: z.string(),
    caip2: z.string(),
    unsignedTransaction: z.string(),
    refBlockBytes: z.string(),
    refBlockHash: z.string(),
    expiration: z.string(),
  }),
  result: z.object({
    sendTransactionStatusId: z.string().describe('For get_send_transaction_status'),
    transactionHash: z.string().describe('The txID'),
  }),
});

import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { id } from '../../shapes/primitives.ts';
import { ethereumChain, feeFields, fromAddress, replacement } from '../../shapes/sending.ts';

const { maxFeePerGas, maxPriorityFeePerGas } = feeFields;

export const ethReplaceTransaction = defineActivity({
  name: 'ethReplaceTransaction',
  path: 'eth_replace_transaction',
  subject: 'signing',
  summary: 'Speed up or cancel a sent transaction of an EVM chain that is in no block yet',
  policy: { resource: 'PRIVATE_KEY', action: 'SIGN' },
  type: 'ACTIVITY_TYPE_ETH_REPLACE_TRANSACTION',
  spec: 'none',
  params: z.strictObject({
    from: fromAddress,
    caip2: ethereumChain,
    sendTransactionStatusId: id.describe('The transaction to replace: the newest one with its nonce'),
    replacement,
    maxFeePerGas,
    maxPriorityFeePerGas,
  }),
  intent: z.object({
    from: z.string(),
    caip2: z.string(),
    sendTransactionStatusId: z.string(),
    replacement,
    replacesHash: z.string().describe('The hash of the transaction that it replaces'),
    to: z.string(),
    value: z.string(),
    data: z.string(),
    nonce: z.string(),
    gasLimit: z.string(),
    maxFeePerGas: z.string(),
    maxPriorityFeePerGas: z.string().optional(),
  }),
  result: z.object({
    sendTransactionStatusId: z.string().describe('Of the replacement, for get_send_transaction_status'),
    transactionHash: z.string(),
  }),
});

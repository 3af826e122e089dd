import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { bitcoinChain, idempotencyKey } from '../../shapes/sending.ts';
import { signWith } from '../../shapes/signing.ts';

export const bitcoinSendTransaction = defineActivity({
  name: 'bitcoinSendTransaction',
  path: 'bitcoin_send_transaction',
  subject: 'signing',
  summary: 'Sign a Bitcoin transaction, send it, and follow it to its final state',
  policy: { resource: 'PRIVATE_KEY', action: 'SIGN' },
  type: 'ACTIVITY_TYPE_BITCOIN_SEND_TRANSACTION',
  spec: 'none',
  params: z.strictObject({
    signWith,
    caip2: bitcoinChain,
    unsignedTransaction: z
      .string()
      .min(1, 'must not be empty')
      .max(524_288, 'must have at most 524288 characters')
      .describe('A PSBT of version 0 in hexadecimal. The key spends all of its inputs, none of them P2PKH. Nothing is filled in'),
    idempotencyKey,
  }),
  intent: z.object({
    signWith: z.string(),
    caip2: z.string(),
    unsignedTransaction: z.string(),
  }),
  result: z.object({
    sendTransactionStatusId: z.string().describe('For get_send_transaction_status'),
    transactionHash: z.string().describe('The transaction id'),
  }),
});

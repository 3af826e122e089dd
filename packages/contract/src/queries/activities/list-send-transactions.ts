import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { chainName, ownAddress } from '../../shapes/chains.ts';
import { id, organizationId, paginationOptions } from '../../shapes/primitives.ts';
import { sendStatus } from './get-send-transaction-status.ts';

export const listSendTransactions = defineQuery({
  name: 'listSendTransactions',
  path: 'list_send_transactions',
  subject: 'activities',
  summary: 'List the transactions that the service sends, newest first',
  reads: { resources: ['ACTIVITY'] },
  input: z.strictObject({
    organizationId,
    caip2: chainName.optional().describe('Only transactions on the chain with this CAIP-2 name'),
    address: ownAddress.optional().describe('Only transactions from the account with this address'),
    paginationOptions: paginationOptions.optional(),
  }),
  output: z.object({
    transactions: z.array(
      sendStatus.extend({
        sendTransactionStatusId: id.describe('The id of the transaction, for get_send_transaction_status and as a cursor'),
      }),
    ),
  }),
});

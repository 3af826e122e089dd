import { z } from 'zod';
import { defineActivity, version } from '../../define.ts';
import { callFields, ethereumChain, feeFields, fromAddress, idempotencyKey, sponsored } from '../../shapes/sending.ts';

const common = { from: fromAddress, caip2: ethereumChain, ...feeFields, sponsor: sponsored, idempotencyKey };
const params = z.strictObject({ ...common, ...callFields });
const call = z.strictObject(callFields).meta({ id: 'EthCallParams' });

const result = z.object({
  sendTransactionStatusId: z.string().describe('For get_send_transaction_status'),
  transactionHash: z.string(),
});

/** Published clients know only the id. */
const onlyId = ({ sendTransactionStatusId }: z.output<typeof result>) => ({ sendTransactionStatusId });

export const ethSendTransaction = defineActivity({
  name: 'ethSendTransaction',
  path: 'eth_send_transaction',
  subject: 'signing',
  summary: 'Sign a transaction of an EVM chain, send it, and follow it to its final state',
  policy: { resource: 'PRIVATE_KEY', action: 'SIGN' },
  type: 'ACTIVITY_TYPE_ETH_SEND_TRANSACTION',
  spec: 'none',
  params,
  intent: z.object({
    from: z.string(),
    caip2: z.string(),
    to: z.string(),
    value: z.string(),
    data: z.string(),
    nonce: z.string(),
    gasLimit: z.string(),
    maxFeePerGas: z.string(),
    maxPriorityFeePerGas: z.string().optional(),
    sponsor: z.boolean().optional(),
  }),
  result,
  compatibleResult: onlyId,
  otherVersions: [
    version({
      type: 'ACTIVITY_TYPE_ETH_SEND_TRANSACTION_V2',
      params: z.strictObject({
        ...common,
        calls: z
          .array(call)
          .min(1, 'must not be empty')
          .max(
            1,
            'must have one item: several calls in one transaction need a delegation of the account, which this server does not make',
          ),
      }),
      upgrade: ({ calls, ...rest }): z.output<typeof params> => ({ ...rest, ...(calls[0] as z.output<typeof call>) }),
      result: onlyId,
      resultKey: 'ethSendTransactionResultV2',
    }),
  ],
});

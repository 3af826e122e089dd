import { z } from 'zod';
import { defineActivity, version } from '../../define.ts';
import { ethereumChain, feeFields, fromAddress } from '../../shapes/sending.ts';

const { nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas } = feeFields;

const params = z.strictObject({ from: fromAddress, caip2: ethereumChain, nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas });

const result = z.object({
  sendTransactionStatusId: z.string().describe('For get_send_transaction_status'),
  transactionHash: z.string(),
});

/** Published clients know only the id. */
const onlyId = ({ sendTransactionStatusId }: z.output<typeof result>) => ({ sendTransactionStatusId });

export const ethUndelegate7702 = defineActivity({
  name: 'ethUndelegate7702',
  path: 'eth_undelegate_7702',
  subject: 'signing',
  summary: 'Remove the delegation of an account to code (EIP-7702): sign, send and follow the transaction',
  policy: { resource: 'PRIVATE_KEY', action: 'SIGN' },
  type: 'ACTIVITY_TYPE_ETH_UNDELEGATE_7702',
  spec: 'none',
  params,
  // The rest follows from it: receiver, amount, data and the authorization are the same for every account.
  intent: z.object({
    from: z.string(),
    caip2: z.string(),
    nonce: z.string(),
    gasLimit: z.string(),
    maxFeePerGas: z.string(),
    maxPriorityFeePerGas: z.string(),
  }),
  result,
  compatibleResult: onlyId,
  // Some published clients write the type so.
  otherVersions: [version({ type: 'ACTIVITY_TYPE_ETH_UNDELEGATE7702', params, upgrade: (given) => given, result: onlyId })],
});

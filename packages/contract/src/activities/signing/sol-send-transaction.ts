import { z } from 'zod';
import { defineActivity, version } from '../../define.ts';
import { policyMarks } from '../../policy-view/marks.ts';
import { idempotencyKey, solanaChain, sponsor } from '../../shapes/sending.ts';
import { signWith } from '../../shapes/signing.ts';

const common = {
  unsignedTransaction: z
    .string()
    .min(1, 'must not be empty')
    .max(2_466, 'must have at most 2466 characters')
    .describe('The whole wire transaction in hexadecimal, legacy or version 0, with zeros for the missing signature'),
  caip2: solanaChain,
  recentBlockhash: z
    .string()
    .regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, 'must be 32 bytes in Base58')
    .optional()
    .register(policyMarks, { resolved: 'the blockhash of the transaction, or the newest one if it has none' })
    .describe(
      'The blockhash for a transaction that has none, which are 32 zero bytes. By default the execution fills in the newest one',
    ),
  sponsor,
  idempotencyKey,
};
const params = z.strictObject({ ...common, signWith });

const result = z.object({
  sendTransactionStatusId: z.string().describe('For get_send_transaction_status'),
  transactionHash: z.string().describe('The signature by which the chain names the transaction'),
});

/** Published clients know only the id. */
const onlyId = ({ sendTransactionStatusId }: z.output<typeof result>) => ({ sendTransactionStatusId });

export const solSendTransaction = defineActivity({
  name: 'solSendTransaction',
  path: 'sol_send_transaction',
  subject: 'signing',
  summary: 'Sign a Solana transaction, send it, and follow it to its final state',
  policy: { resource: 'PRIVATE_KEY', action: 'SIGN' },
  type: 'ACTIVITY_TYPE_SOL_SEND_TRANSACTION',
  spec: 'none',
  params,
  intent: z.object({
    signWith: z.string(),
    caip2: z.string(),
    unsignedTransaction: z.string(),
    recentBlockhash: z.string(),
  }),
  result,
  compatibleResult: onlyId,
  otherVersions: [
    version({
      type: 'ACTIVITY_TYPE_SOL_SEND_TRANSACTION_V2',
      params: z.strictObject({
        ...common,
        signWiths: z
          .array(signWith)
          .min(1, 'must not be empty')
          .max(1, 'must have one item: this server signs with the key that pays the fee, and others sign before'),
      }),
      upgrade: ({ signWiths, ...rest }): z.output<typeof params> => ({ ...rest, signWith: signWiths[0] as string }),
      result: onlyId,
      resultKey: 'solSendTransactionResultV2',
    }),
  ],
});

import { z } from 'zod';
import { defineActivity, version } from '../../define.ts';
import { id } from '../../shapes/primitives.ts';
import { signWith, specTransactionType, transactionType } from '../../shapes/signing.ts';

const unsignedTransaction = z.string().min(1, 'must not be empty').max(524_288, 'must have at most 524288 characters');

export const signTransaction = defineActivity({
  name: 'signTransaction',
  path: 'sign_transaction',
  subject: 'signing',
  summary: 'Sign an unsigned transaction',
  policy: { resource: 'PRIVATE_KEY', action: 'SIGN' },
  type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2',
  spec: 'endpoint',
  params: z.strictObject({ signWith, unsignedTransaction, type: transactionType }),
  specParams: z.strictObject({ signWith, unsignedTransaction, type: specTransactionType }),
  intent: z.object({ privateKeyId: z.string(), unsignedTransaction: z.string(), type: transactionType }),
  result: z.object({ signedTransaction: z.string() }),
  otherVersions: [
    version({
      type: 'ACTIVITY_TYPE_SIGN_TRANSACTION',
      params: z.strictObject({ privateKeyId: id, unsignedTransaction, type: transactionType }),
      upgrade: ({ privateKeyId, ...rest }) => ({ signWith: privateKeyId, ...rest }),
    }),
  ],
});

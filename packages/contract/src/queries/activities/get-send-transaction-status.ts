import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { waitSeconds } from '../../shapes/log.ts';
import { id, organizationId } from '../../shapes/primitives.ts';
import { sentTransaction } from '../../shapes/sending.ts';

/** The states of a transaction that the service sends. */
const sendStates = ['INITIALIZED', 'BROADCASTING', 'INCLUDED', 'COMPLETED', 'FAILED', 'CANCELLED', 'UNKNOWN'] as const;

const txStatus = z.enum(sendStates).meta({ id: 'SendTransactionStatus' });

/** What the service shows of a transaction that it sends. */
export const sendStatus = z.object({
  txStatus: txStatus.describe(
    'COMPLETED, FAILED, CANCELLED and UNKNOWN are final. CANCELLED: another transaction used the nonce, or spent the same coins. FAILED: no node accepted it, it expired, or its execution failed. UNKNOWN: it expired, and nodes cannot tell whether it was executed before',
  ),
  eth: z.object({ txHash: z.string() }).optional(),
  tron: z.object({ txId: z.string() }).optional(),
  solana: z.object({ signature: z.string() }).optional(),
  bitcoin: z.object({ txId: z.string() }).optional(),
  txError: z.string().optional(),
  error: z.object({ message: z.string() }).optional(),
  transaction: sentTransaction,
});

export const getSendTransactionStatus = defineQuery({
  name: 'getSendTransactionStatus',
  path: 'get_send_transaction_status',
  subject: 'activities',
  summary: 'Get the state of a transaction that the service sends',
  reads: { resources: ['ACTIVITY'] },
  input: z.strictObject({
    organizationId,
    sendTransactionStatusId: id,
    knownStatus: txStatus.optional().describe('With waitSeconds: respond once the state is another one'),
    waitSeconds: waitSeconds.describe('How long to wait while the state is knownStatus. 0 by default'),
  }),
  output: sendStatus,
});

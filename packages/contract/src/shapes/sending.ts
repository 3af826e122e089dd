import { z } from 'zod';
import { policyMarks } from '../policy-view/marks.ts';
import { timestamp } from './primitives.ts';

/** An unsigned integer of at most 256 bits, in decimal text. */
const quantity = z.string().regex(/^(0|[1-9]\d{0,77})$/, 'must be a whole number in decimal, as a string');

/** An amount. Policies see the parameter as text, as they see values of other activities, and compare amounts of `eth.tx`. */
const amount = z
  .string()
  .regex(/^\d{1,78}$/, 'must be a whole number in decimal, as a string')
  .refine((digits) => digits === '0' || !digits.startsWith('0'), 'must not begin with 0');

/** The name of an EVM chain (CAIP-2). */
export const ethereumChain = z
  .string()
  .regex(/^eip155:[1-9]\d{0,18}$/, 'must be the CAIP-2 name of an EVM chain, for example eip155:1')
  .describe('The CAIP-2 name of the chain, for example eip155:1');

/** The name of a Solana cluster (CAIP-2). */
export const solanaChain = z
  .string()
  .regex(
    /^solana:[1-9A-HJ-NP-Za-km-z]{32}$/,
    'must be the CAIP-2 name of a Solana cluster, for example solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  )
  .describe('The CAIP-2 name of the cluster: solana: and the first 32 characters of the hash of its first block');

/** The name of a Tron network (CAIP-2). */
export const tronChain = z
  .string()
  .regex(/^tron:0x[0-9a-f]{8}$/, 'must be the CAIP-2 name of a Tron network, for example tron:0x2b6653dc')
  .describe('The CAIP-2 name of the network, for example tron:0x2b6653dc');

/** The name of a Bitcoin network (CAIP-2). */
export const bitcoinChain = z
  .string()
  .regex(
    /^bip122:[0-9a-f]{32}$/,
    'must be the CAIP-2 name of a Bitcoin network, for example bip122:000000000019d6689c085ae165831e93',
  )
  .describe('The CAIP-2 name of the network: bip122: and the first 32 characters of the hash of its first block');

/** An Ethereum address in hexadecimal. */
export const ethereumAddress = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address: 0x and 40 hexadecimal digits')
  .register(policyMarks, { form: 'address' });

/** The account that pays. */
export const fromAddress = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address: 0x and 40 hexadecimal digits')
  .register(policyMarks, {
    form: 'address',
    resolved: 'the address of the account, or the id of the private key',
    seenAs: 'the address of an account or the id of a private key',
  })
  .describe('The address of the wallet account or private key that signs and pays');

const resolvedQuantity = (resolved: string) => quantity.optional().register(policyMarks, { resolved });

/** What a call transfers, and its data. */
export const callFields = {
  to: ethereumAddress.describe('The receiver, or the contract to call'),
  value: amount.optional().meta({ default: '0' }).describe('The amount in wei. 0 by default'),
  data: z
    .string()
    .max(262_144, 'must have at most 262144 characters')
    .regex(/^(0x([0-9a-fA-F]{2})*|([0-9a-fA-F]{2})+)$/, 'must be hexadecimal')
    .optional()
    .meta({ default: '0x' })
    .describe('The call data in hexadecimal. Empty by default'),
};

/** Whether another account pays the fee. */
export const sponsor = z
  .boolean()
  .refine((sponsored) => !sponsored, 'must be false: this server sponsors no gas, so the account pays for its transactions')
  .optional()
  .meta({ default: false })
  .describe('Only false: the account pays the fee');

/** Whether the sponsor of the operator pays for the fee. */
export const sponsored = z
  .boolean()
  .optional()
  .meta({ default: false })
  .describe(
    'Whether the sponsor of the chain sends the account what it lacks for the highest fee, before the transaction is sent. The account itself must hold the amount. Only where the operator names a sponsor (gasSponsors)',
  );

/** Nonce and fees. The service fills in what is missing. */
export const feeFields = {
  nonce: resolvedQuantity('the next nonce of the account, which the execution assigns').describe(
    'The nonce that the caller expects. The service assigns nonces, and rejects the request if it would assign another one',
  ),
  gasLimit: resolvedQuantity('an estimate').describe('The gas limit. Estimated by default'),
  maxFeePerGas: resolvedQuantity('a suggestion within the maximum of the service').describe(
    'The most to pay for each unit of gas, in wei. Suggested by default',
  ),
  maxPriorityFeePerGas: resolvedQuantity('a suggestion, if the chain has such fees').describe(
    'The most to pay in addition to the base fee for each unit of gas, in wei. Suggested by default',
  ),
  sponsor,
};

/** What a replacement does. */
export const replacement = z
  .enum(['SPEED_UP', 'CANCEL'])
  .describe(
    'SPEED_UP: the same transaction with a higher fee. CANCEL: an empty transaction of the account to itself, with a higher fee',
  );

/** The caller's name for a payment. */
export const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,128}$/, 'must have 1 to 128 printable characters without spaces')
  .optional()
  .meta({ default: '' })
  .describe(
    'A name for this payment. For 24 hours after it is sent, another request of the same user for the same account with the same key is rejected, and the error names the activity that sent it',
  );

/** A sent transaction as the service knows it. */
export const sentTransaction = z
  .object({
    chain: z.string().describe('CAIP-2 name'),
    from: z.string(),
    nonce: z.string().optional().describe('On chains whose accounts have nonces'),
    activityId: z.string(),
    replaces: z.string().optional().describe('The id of the transaction that this one replaces'),
    replacedBy: z.string().optional().describe('The hash of the transaction that used the nonce, if the service sent it'),
    replacedById: z.string().optional().describe('The id of that transaction, for get_send_transaction_status'),
    blockNumber: z.string().optional(),
    blockHash: z.string().optional(),
    confirmations: z
      .string()
      .optional()
      .describe(
        'How many blocks contain or follow it, when the service last looked. Absent on chains whose nodes tell what is final',
      ),
    requiredConfirmations: z.string().optional().describe('How many are needed for the final state'),
    lastError: z.string().optional().describe('Why the last attempt to send it failed. The service tries again'),
    topUp: z
      .object({
        organizationId: z.string().describe('The organization of the sponsor'),
        amount: z.string().describe('What the account lacked for the highest fee, in wei'),
        isPaid: z.boolean().describe('Whether the account has it. Until then the transaction waits'),
      })
      .optional()
      .describe('What the sponsor sends to the account for the fee. Absent if it lacked nothing'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'SentTransaction' });

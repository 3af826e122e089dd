import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { amount, chainName, ownAddress } from '../../shapes/chains.ts';
import { organizationId, timestamp } from '../../shapes/primitives.ts';

const transfer = z
  .object({
    caip19: z.string().describe('The CAIP-19 name of the token'),
    symbol: z.string().optional().describe('Only for listed tokens. Any contract can claim transfers that nobody made'),
    decimals: z.int().optional(),
    from: z.string(),
    to: z.string(),
    amount: amount.describe('The amount in the smallest unit'),
    display: z.object({ crypto: z.string() }).optional().describe('For display only'),
    logIndex: z.string().describe('The number of the event in its block'),
  })
  .meta({ id: 'PastTransfer' });

const entry = z
  .object({
    transactionHash: z.string().describe('On Solana: the first signature of the transaction'),
    block: z.string().describe('The number of the block. On Solana: the slot'),
    timestamp: timestamp.optional().describe('The time of the block, if the node states it with the list. Not on EVM chains'),
    status: z.enum(['SUCCEEDED', 'FAILED']),
    memo: z
      .string()
      .optional()
      .describe('Solana: what anybody wrote into the transaction. Invisible characters are replaced, and the end may be cut'),
    transfer: transfer.optional().describe('EVM chains: the transfer of a token'),
  })
  .meta({ id: 'PastTransaction' });

export const listAddressTransactions = defineQuery({
  name: 'listAddressTransactions',
  path: 'list_address_transactions',
  subject: 'chains',
  summary: 'List past transactions of a wallet account on a chain, as far as its nodes list them, newest first',
  reads: { resources: ['WALLET', 'TOKEN'] },
  input: z.strictObject({
    organizationId,
    address: ownAddress.describe('The address of a wallet account'),
    caip2: chainName,
    limit: z
      .string()
      .regex(/^([1-9]\d?|100)$/, 'must be a whole number from 1 to 100, as a string')
      .optional()
      .describe('The most entries to return, 1 to 100. 25 by default'),
    cursor: z
      .string()
      .max(256, 'must have at most 256 characters')
      .optional()
      .describe('The `next` of a response for the same account and chain. Without it, the newest entries are returned'),
  }),
  output: z.object({
    coverage: z
      .enum(['TRANSACTIONS', 'TOKEN_TRANSFERS'])
      .describe(
        'What the list contains. TRANSACTIONS: final transactions that name the address. TOKEN_TRANSFERS: transfers of ERC-20 tokens to and from the address. Payments in the coin of the chain are missing, because nodes cannot list them',
      ),
    entries: z.array(entry).describe('A transaction with several transfers has an entry for each of them'),
    searched: z
      .object({ fromBlock: z.string(), toBlock: z.string() })
      .optional()
      .describe('EVM chains: the blocks that were searched. A page may have no entries although earlier blocks have some'),
    unlistedBlock: z
      .string()
      .optional()
      .describe(
        'EVM chains: a block with more transfers of the address than the nodes list. Look it up elsewhere: none is in the list',
      ),
    next: z.string().optional().describe('The cursor of the next page. Absent after the last one'),
  }),
});

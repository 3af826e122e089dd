import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { amount, chainName, ownAddress } from '../../shapes/chains.ts';
import { organizationId } from '../../shapes/primitives.ts';

const balance = z
  .object({
    caip19: z.string().describe('The CAIP-19 name of the asset'),
    symbol: z.string().optional(),
    balance: amount.describe('The balance in the smallest unit'),
    decimals: z.int().optional(),
    display: z.object({ crypto: z.string() }).optional().describe('For display only'),
    tokenProgram: z.string().optional().describe('On Solana: the program of the token'),
  })
  .meta({ id: 'AssetBalance' });

export const getWalletAddressBalances = defineQuery({
  name: 'getWalletAddressBalances',
  path: 'get_wallet_address_balances',
  subject: 'chains',
  summary: 'Get the balances of a wallet account, in the coin and in listed tokens',
  reads: { resources: ['WALLET', 'TOKEN'] },
  input: z.strictObject({
    organizationId,
    address: ownAddress.describe('The address of a wallet account'),
    caip2: chainName,
  }),
  output: z.object({
    balances: z.array(balance).describe('The coin, and the tokens of which the account has some'),
  }),
});

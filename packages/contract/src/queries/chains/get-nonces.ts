import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { chainName, ownAddress } from '../../shapes/chains.ts';
import { flag, organizationId } from '../../shapes/primitives.ts';

export const getNonces = defineQuery({
  name: 'getNonces',
  path: 'get_nonces',
  subject: 'chains',
  summary: 'Get the nonce of an account on an EVM chain',
  reads: { resources: ['WALLET', 'PRIVATE_KEY'] },
  input: z.strictObject({
    organizationId,
    address: ownAddress.describe('The address of a wallet account or private key'),
    caip2: chainName,
    nonce: flag.describe('Whether to get the nonce of the next transaction, by the newest block'),
    gasStationNonce: flag.describe('Only false: this server sponsors no gas'),
  }),
  output: z.object({ nonce: z.string().optional(), gasStationNonce: z.string().optional() }),
});

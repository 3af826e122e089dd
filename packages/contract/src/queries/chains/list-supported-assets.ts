import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { chainName } from '../../shapes/chains.ts';
import { organizationId } from '../../shapes/primitives.ts';

const asset = z
  .object({
    caip19: z.string().describe('The CAIP-19 name of the asset'),
    symbol: z.string().optional(),
    decimals: z.int().optional(),
  })
  .meta({ id: 'SupportedAsset' });

export const listSupportedAssets = defineQuery({
  name: 'listSupportedAssets',
  path: 'list_supported_assets',
  subject: 'chains',
  summary: 'List the assets whose balances the service shows on a chain',
  reads: { resources: ['TOKEN'] },
  input: z.strictObject({ organizationId, caip2: chainName }),
  output: z.object({ assets: z.array(asset) }),
});

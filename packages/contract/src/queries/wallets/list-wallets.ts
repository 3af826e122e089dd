import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { listPagination, matching, nextMatching, organizationId } from '../../shapes/primitives.ts';
import { wallet } from '../../shapes/wallets.ts';

export const listWallets = defineQuery({
  name: 'listWallets',
  path: 'list_wallets',
  subject: 'wallets',
  summary: 'List the wallets of the organization',
  reads: { resources: ['WALLET'] },
  input: z.strictObject({ organizationId, matching, paginationOptions: listPagination }),
  output: z.object({ wallets: z.array(wallet), next: nextMatching }),
});

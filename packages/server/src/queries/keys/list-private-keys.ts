import { queries } from '@countersign/contract';
import { showPrivateKey } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { listResources } from '../page.ts';

export const listPrivateKeys = resolve(queries.listPrivateKeys, async (context, { paginationOptions }) => ({
  privateKeys: await listResources(context, 'privateKey', paginationOptions, (key) =>
    showPrivateKey(key, context.showBeyondSpec ? context.organization : undefined),
  ),
}));

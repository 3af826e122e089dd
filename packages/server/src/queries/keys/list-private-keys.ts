import { queries } from '@countersign/contract';
import { showPrivateKey } from '../../organizations/show.ts';
import { resolve } from '../../pipeline/query.ts';
import { listResources } from '../page.ts';

export const listPrivateKeys = resolve(
  queries.listPrivateKeys,
  async ({ resources, organization, showBeyondSpec }, { paginationOptions }) => {
    const keys = await listResources(resources, organization.id, 'privateKey', paginationOptions);
    return { privateKeys: keys.map((key) => showPrivateKey(key, showBeyondSpec)) };
  },
);
